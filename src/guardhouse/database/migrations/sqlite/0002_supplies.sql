-- Who supplied the values of a call, and what may be answered together.
ALTER TABLE requests ADD COLUMN supplied TEXT NOT NULL DEFAULT '[]';
ALTER TABLE requests ADD COLUMN kin TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN for_run TEXT NOT NULL DEFAULT 'false';
CREATE INDEX pending_alike ON requests (kin) WHERE status = 'pending' AND kin <> '';
