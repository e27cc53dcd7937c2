-- A yes for the rest of a run is a grant like any other. Which values it is for is sealed; the fields are for people.
-- SQLite can't change a CHECK: the table is made anew.
CREATE TABLE grants_by_reach (
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
    reach TEXT NOT NULL CHECK (reach IN ('exact', 'destination', 'values')),
    action_hash TEXT NOT NULL CHECK (action_hash <> ''),
    targets TEXT NOT NULL,
    fields TEXT NOT NULL DEFAULT '[]',
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
INSERT INTO grants_by_reach (
    number, id, scope, request_id, created_at, expires_at, session_id, principal, action_type, tool_name,
    action_summary_redacted, reach, action_hash, targets, codes, risk_level, condition, most_uses, uses,
    last_used_at, actor, comment, revoked_at, revoked_by, sealed
) SELECT
    number, id, scope, request_id, created_at, expires_at, session_id, principal, action_type, tool_name,
    action_summary_redacted, reach, action_hash, targets, codes, risk_level, condition, most_uses, uses,
    last_used_at, actor, comment, revoked_at, revoked_by, sealed
FROM grants;
DROP TABLE grants;
ALTER TABLE grants_by_reach RENAME TO grants;
CREATE INDEX grants_in_scope ON grants (scope, expires_at) WHERE revoked_at IS NULL;
CREATE INDEX grants_of_request ON grants (request_id);
CREATE INDEX grants_by_end ON grants (expires_at);

-- Whether a condition can hold for a grant that covers more than one call. Of those that wait nobody has said so.
ALTER TABLE requests ADD COLUMN executes TEXT NOT NULL DEFAULT 'true';
