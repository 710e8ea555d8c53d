-- What an engine says of itself besides its functions.
ALTER TABLE engine ADD COLUMN version TEXT NOT NULL DEFAULT '';
ALTER TABLE engine ADD COLUMN state TEXT NOT NULL DEFAULT '';
ALTER TABLE engine ADD COLUMN holds TEXT;
