-- Runs of agents that outlive their process. What was said in one is sealed, and erased when it is over.
ALTER TABLE requests ADD COLUMN durable TEXT NOT NULL DEFAULT 'false';

CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    parent_id TEXT REFERENCES runs (id) ON DELETE CASCADE,
    parent_call TEXT,
    place TEXT NOT NULL CHECK (place IN ('terminal', 'daemon', 'program')),
    role TEXT NOT NULL,
    principal TEXT,
    session_id TEXT NOT NULL,
    workspace TEXT NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('ready', 'running', 'waiting', 'paused', 'done', 'failed', 'cancelled')),
    why TEXT NOT NULL,
    segment INTEGER NOT NULL,
    holder TEXT,
    created_at REAL NOT NULL,
    changed_at REAL NOT NULL,
    steps INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    denied_in_a_row INTEGER NOT NULL,
    cancel_asked_by TEXT,
    sealed_title BLOB NOT NULL,
    sealed_task BLOB,
    sealed_state BLOB,
    sealed_output BLOB,
    CHECK (status NOT IN ('done', 'failed', 'cancelled') OR sealed_task IS NULL AND sealed_state IS NULL),
    CHECK ((status = 'running') = (holder IS NOT NULL))
);
CREATE INDEX runs_by_status ON runs (status, number);
CREATE INDEX runs_of_parent ON runs (parent_id) WHERE parent_id IS NOT NULL;

-- The calls of a run: each is made at most once. One that was begun and not ended when its process died may have been
-- made or not.
CREATE TABLE run_calls (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    tool TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('planned', 'waiting', 'begun', 'returned', 'ended')),
    outcome TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    request_id TEXT,
    child_id TEXT,
    begun_at REAL,
    ended_at REAL,
    delivered INTEGER NOT NULL,
    sealed BLOB,
    PRIMARY KEY (run_id, call_id)
);
CREATE INDEX open_calls ON run_calls (run_id, number) WHERE delivered = 0;
CREATE INDEX calls_that_wait ON run_calls (request_id) WHERE state IN ('waiting', 'returned');

-- What happened in a run, for who follows it. No text of anybody's.
CREATE TABLE run_events (
    number INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    told TEXT NOT NULL
);
CREATE INDEX events_of_run ON run_events (run_id, number);
