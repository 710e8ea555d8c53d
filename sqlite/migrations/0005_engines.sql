-- Engines at work and the names of their functions, a JSON list. heard_at is UTC, in microseconds.
CREATE TABLE engine (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  functions TEXT NOT NULL,
  heard_at INTEGER NOT NULL
) STRICT;

-- Of a pending session, the hash of the definition that its steps were tried with.
ALTER TABLE session ADD COLUMN tried TEXT;
