-- Sessions of agents: what was said and returned, as fingerprints. Nothing here refers to its session by a constraint:
-- a session goes at once, and its rows after it, bit by bit. Grades are numbers, by their place in GRADES.
CREATE TABLE agent_sessions (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tag BYTEA NOT NULL UNIQUE,
    last_seq INTEGER NOT NULL,
    touched DOUBLE PRECISION NOT NULL
);

CREATE TABLE session_events (
    session BIGINT NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    call_id TEXT,
    grade SMALLINT NOT NULL,
    excerpt TEXT NOT NULL,
    detail TEXT,
    at DOUBLE PRECISION NOT NULL,
    capped BOOLEAN NOT NULL,
    PRIMARY KEY (session, seq)
);
CREATE INDEX session_events_by_kind ON session_events (session, kind, seq);

-- How much of each kind and grade there is, so that asking costs the same at any length.
CREATE TABLE session_tallies (
    session BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    grade SMALLINT NOT NULL,
    events INTEGER NOT NULL,
    indexed BIGINT NOT NULL,
    capped INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    cut INTEGER NOT NULL,
    PRIMARY KEY (session, kind, grade)
);

-- Where a value occurred. Only as many rows of one value as count, so a look-up reads no more in a long session.
CREATE TABLE session_occurrences (
    session BIGINT NOT NULL,
    fingerprint BIGINT NOT NULL,
    seq INTEGER NOT NULL,
    grade SMALLINT NOT NULL,
    slot TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (session, fingerprint, grade, slot, seq)
);

-- What was in an event's content, in one piece: it is only ever read as a whole.
CREATE TABLE session_objects (
    session BIGINT NOT NULL,
    seq INTEGER NOT NULL,
    kept BYTEA NOT NULL,
    PRIMARY KEY (session, seq)
);

-- Sessions that are gone, but whose rows are still being removed. Their numbers are never given again.
CREATE TABLE dropped_sessions (
    session BIGINT PRIMARY KEY
);
