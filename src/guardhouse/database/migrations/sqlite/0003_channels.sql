-- Changes are numbered, so that whoever follows them knows what is new. One row; who writes holds it.
CREATE TABLE latest (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    change INTEGER NOT NULL
);
INSERT INTO latest VALUES (1, 0);
ALTER TABLE requests ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN resume_asked_at REAL;
CREATE INDEX by_change ON requests (change);
CREATE INDEX pending_of_one ON requests (principal) WHERE status = 'pending';
CREATE INDEX newest_pending ON requests (number) WHERE status = 'pending';

-- Cards that were put to people somewhere else. What a button carries is kept as a digest.
CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    request_id TEXT NOT NULL REFERENCES requests (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    address TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('sending', 'shown', 'final', 'lost')),
    message TEXT,
    approve_digest TEXT UNIQUE,
    deny_digest TEXT UNIQUE,
    shown_change INTEGER NOT NULL,
    changed_at REAL NOT NULL
);
CREATE UNIQUE INDEX one_card ON deliveries (request_id, channel, address) WHERE state <> 'lost';
CREATE INDEX cards_to_end ON deliveries (channel) WHERE state IN ('sending', 'shown');

-- Who does what only one node may do at a time.
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until REAL NOT NULL
);

-- Who may use the daemon. A token itself is never kept.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('agent', 'approver', 'admin')),
    name TEXT NOT NULL UNIQUE,
    created_at REAL NOT NULL,
    expires_at REAL,
    revoked_at REAL
);

-- Which key each thing was sealed with, as a digest: nodes that have another one are told before it matters.
CREATE TABLE key_marks (
    name TEXT PRIMARY KEY,
    mark TEXT NOT NULL
);
