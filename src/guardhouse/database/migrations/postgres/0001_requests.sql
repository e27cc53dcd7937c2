-- Requests for approval, and what is sealed for each.
CREATE TABLE requests (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    intent TEXT NOT NULL,
    action_hash TEXT NOT NULL CHECK (action_hash <> ''),
    status TEXT NOT NULL
        CHECK (status IN ('pending', 'approved', 'denied', 'expired', 'cancelled', 'superseded', 'consumed')),
    created_at DOUBLE PRECISION NOT NULL,
    changed_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    answered_at DOUBLE PRECISION,
    use_by DOUBLE PRECISION,
    actor TEXT,
    comment TEXT,
    superseded_by TEXT REFERENCES requests (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    run_id TEXT,
    session_id TEXT,
    principal TEXT,
    action_type TEXT NOT NULL,
    tool_name TEXT,
    action_summary_redacted TEXT NOT NULL,
    action_redacted TEXT NOT NULL,
    risk_level TEXT NOT NULL,
    reasons TEXT NOT NULL,
    codes TEXT NOT NULL,
    bound_to TEXT NOT NULL,
    policy_revision TEXT NOT NULL,
    sealed_bound BYTEA,
    sealed_resume BYTEA,
    CHECK (status <> 'approved' OR use_by IS NOT NULL),
    CHECK (status IN ('pending', 'approved') OR sealed_bound IS NULL AND sealed_resume IS NULL)
);

-- Of two that ask the same at once, one opens the request and the other finds it.
CREATE UNIQUE INDEX one_is_live ON requests (scope, action_hash) WHERE status IN ('pending', 'approved');
CREATE INDEX by_hash ON requests (scope, action_hash);
CREATE INDEX by_intent ON requests (scope, intent) WHERE status = 'approved';
CREATE INDEX pending_in_scope ON requests (scope) WHERE status = 'pending';
CREATE INDEX due_for_answer ON requests (expires_at) WHERE status = 'pending';
CREATE INDEX due_for_use ON requests (use_by) WHERE status = 'approved';
CREATE INDEX by_superseding ON requests (superseded_by) WHERE superseded_by IS NOT NULL;
