-- Answers beyond yes and no: what a yes is good for, how many must say it, and arguments that a person changed.
ALTER TABLE requests ADD COLUMN turn TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN targets TEXT NOT NULL DEFAULT '[]';
ALTER TABLE requests ADD COLUMN conditional TEXT NOT NULL DEFAULT 'false';
ALTER TABLE requests ADD COLUMN edit_of TEXT;
ALTER TABLE requests ADD COLUMN needed INTEGER NOT NULL DEFAULT 1;
ALTER TABLE requests ADD COLUMN consents TEXT NOT NULL DEFAULT '[]';
ALTER TABLE requests ADD COLUMN terms TEXT NOT NULL DEFAULT '{}';
UPDATE requests SET terms = '{"for_run":true}' WHERE for_run = 'true';
ALTER TABLE requests DROP COLUMN for_run;
CREATE INDEX answered_in_scope ON requests (scope, answered_at) WHERE answered_at IS NOT NULL;

-- A yes that goes on, in one session of one principal. What it covers is sealed as well, so that a row that somebody
-- else wrote covers nothing; it is erased once the grant is used up or revoked.
CREATE TABLE grants (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    request_id TEXT NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
    created_at REAL NOT NULL,
    expires_at REAL NOT NULL,
    session_id TEXT,
    principal TEXT,
    action_type TEXT NOT NULL,
    tool_name TEXT,
    action_summary_redacted TEXT NOT NULL,
    reach TEXT NOT NULL CHECK (reach IN ('exact', 'destination')),
    action_hash TEXT NOT NULL CHECK (action_hash <> ''),
    targets TEXT NOT NULL,
    codes TEXT NOT NULL,
    risk_level TEXT NOT NULL,
    condition TEXT NOT NULL,
    most_uses INTEGER,
    uses INTEGER NOT NULL,
    last_used_at REAL,
    actor TEXT NOT NULL,
    comment TEXT,
    revoked_at REAL,
    revoked_by TEXT,
    sealed BLOB,
    CHECK (most_uses IS NULL OR uses <= most_uses)
);
CREATE INDEX grants_in_scope ON grants (scope, expires_at) WHERE revoked_at IS NULL;
CREATE INDEX grants_of_request ON grants (request_id);
CREATE INDEX grants_by_end ON grants (expires_at);

-- From when on denials count again, in a session that is left alone after too many of them.
CREATE TABLE lifted (
    scope TEXT PRIMARY KEY,
    at REAL NOT NULL
);
