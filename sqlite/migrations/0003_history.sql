-- What ran and what was said. The ids of an execution (session/seq) and of a message
-- (session/n) follow from their columns. Times of executions are in microseconds.
CREATE TABLE execution (
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  workflow TEXT NOT NULL,
  step TEXT NOT NULL,
  visit INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  status TEXT NOT NULL,
  function TEXT NOT NULL DEFAULT '',
  started_at INTEGER,
  finished_at INTEGER,
  definition TEXT NOT NULL DEFAULT '',
  parent TEXT NOT NULL DEFAULT '',
  usage TEXT,
  error TEXT,
  paths TEXT,
  input TEXT,
  output TEXT,
  UNIQUE (session, seq)
);
CREATE INDEX execution_step ON execution (workflow, step, status);

-- READ and TOOK: both point from the later execution (seq) to the earlier one (other).
CREATE TABLE lineage (
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  other INTEGER NOT NULL,
  label TEXT NOT NULL,
  PRIMARY KEY (session, seq, kind, other, label)
) WITHOUT ROWID;

-- SAID. at is in milliseconds, as in the state.
CREATE TABLE message (
  session TEXT NOT NULL,
  n INTEGER NOT NULL,
  role TEXT NOT NULL,
  step TEXT NOT NULL DEFAULT '',
  at INTEGER NOT NULL,
  content TEXT NOT NULL,
  UNIQUE (session, n)
);

-- Outputs too large for the state.
CREATE TABLE blob (
  session TEXT NOT NULL,
  hash TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (session, hash)
);

-- Outputs of the rounds of containers; position is the index of the round.
CREATE TABLE result (
  session TEXT NOT NULL,
  step TEXT NOT NULL,
  visit INTEGER NOT NULL,
  position INTEGER NOT NULL,
  output TEXT NOT NULL,
  UNIQUE (session, step, visit, position)
);
