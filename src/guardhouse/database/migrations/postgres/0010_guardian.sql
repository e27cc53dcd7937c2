-- The latest words of a session, sealed, where a judge may have to read them.
CREATE TABLE session_turns (
    session BIGINT NOT NULL,
    seq INTEGER NOT NULL,
    own BOOLEAN NOT NULL,
    sealed BYTEA NOT NULL,
    PRIMARY KEY (session, seq)
);

-- What the judge was asked, so that nodes share its breaker and its limits. Which session it was is a keyed mark.
CREATE TABLE guardian_opinions (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session BYTEA NOT NULL,
    turn INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    tokens BIGINT NOT NULL
);
CREATE INDEX guardian_opinions_of_session ON guardian_opinions (session, number);
CREATE INDEX guardian_opinions_by_time ON guardian_opinions (at);

-- Answers that are good for a while, by a digest of the whole question; sealed.
CREATE TABLE guardian_answers (
    question BYTEA PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL,
    sealed BYTEA NOT NULL
);
CREATE INDEX guardian_answers_by_time ON guardian_answers (at);
