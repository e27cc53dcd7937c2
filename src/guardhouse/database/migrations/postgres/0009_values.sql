-- A yes for the rest of a run is a grant like any other. Which values it is for is sealed; the fields are for people.
ALTER TABLE grants DROP CONSTRAINT grants_reach_check;
ALTER TABLE grants ADD CONSTRAINT grants_reach_check CHECK (reach IN ('exact', 'destination', 'values'));
ALTER TABLE grants ADD COLUMN fields TEXT NOT NULL DEFAULT '[]';

-- Whether a condition can hold for a grant that covers more than one call. Of those that wait nobody has said so.
ALTER TABLE requests ADD COLUMN executes TEXT NOT NULL DEFAULT 'true';
