-- Who is signed in to the console, each by a token. What the browser holds is never kept.
CREATE TABLE console_sessions (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    token_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    created_at REAL NOT NULL,
    used_at REAL NOT NULL,
    ends_at REAL NOT NULL
);
CREATE INDEX console_sessions_of_token ON console_sessions (token_id, created_at);

-- Codes that sign somebody in once.
CREATE TABLE sign_in_codes (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    token_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    expires_at REAL NOT NULL
);
