-- The id of a session, sealed under the key of the index, and what sessions have in common whose ids begin alike. Both
-- are written once: an index on when a session was last used would be written with every event.
ALTER TABLE agent_sessions ADD COLUMN name BYTEA;
ALTER TABLE agent_sessions ADD COLUMN kin BYTEA;
CREATE INDEX agent_sessions_by_kin ON agent_sessions (kin, number);
