-- What the judge was asked, so that processes share its breaker and its limits. Which session it was is a keyed mark.
CREATE TABLE guardian_opinions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session BLOB NOT NULL,
    turn INTEGER NOT NULL,
    at REAL NOT NULL,
    outcome TEXT NOT NULL,
    tokens INTEGER NOT NULL
);
CREATE INDEX guardian_opinions_of_session ON guardian_opinions (session, number);
CREATE INDEX guardian_opinions_by_time ON guardian_opinions (at);

-- Answers that are good for a while, by a digest of the whole question; sealed.
CREATE TABLE guardian_answers (
    question BLOB PRIMARY KEY,
    at REAL NOT NULL,
    sealed BLOB NOT NULL
);
CREATE INDEX guardian_answers_by_time ON guardian_answers (at);
