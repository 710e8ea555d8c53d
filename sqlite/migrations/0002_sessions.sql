-- Sessions and what reaches them from outside. Times are UTC, in microseconds.
-- counters and state come last: whoever reads only the scalars before them never
-- follows the chain of pages a large state lies on.
CREATE TABLE session (
  id TEXT NOT NULL UNIQUE,
  workflow TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT '',
  version INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  awaiting TEXT,
  awaiting_since INTEGER,
  root TEXT NOT NULL,
  labels TEXT,
  inbox INTEGER NOT NULL DEFAULT 0,
  lease TEXT NOT NULL DEFAULT '',
  lease_owner TEXT NOT NULL DEFAULT '',
  lease_until INTEGER,
  due_at INTEGER,
  transition TEXT NOT NULL DEFAULT '',
  claims INTEGER NOT NULL DEFAULT 0,
  counters TEXT,
  state TEXT
);
CREATE INDEX session_due ON session (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX session_awaiting ON session (awaiting_since, id) WHERE awaiting_since IS NOT NULL;
CREATE INDEX session_status ON session (workflow, status);
CREATE INDEX session_created ON session (created_at, id);
CREATE INDEX session_workflow ON session (workflow, created_at, id);
CREATE INDEX session_root ON session (root);

-- CHILD_OF.
CREATE TABLE child (
  parent TEXT NOT NULL,
  session TEXT NOT NULL,
  PRIMARY KEY (parent, session)
) WITHOUT ROWID;
CREATE INDEX child_session ON child (session);

-- The keys sessions were started with.
CREATE TABLE start (
  key TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX start_session ON start (session);

-- RECEIVED. The id of a request is session/key. target is null for all but answers.
CREATE TABLE request (
  session TEXT NOT NULL,
  n INTEGER NOT NULL,
  key TEXT NOT NULL,
  target TEXT,
  kind TEXT NOT NULL,
  step TEXT NOT NULL DEFAULT '',
  visit INTEGER NOT NULL DEFAULT 0,
  ask INTEGER NOT NULL DEFAULT 0,
  body TEXT,
  body_hash TEXT NOT NULL DEFAULT '',
  by TEXT NOT NULL DEFAULT '',
  at INTEGER NOT NULL,
  applied INTEGER NOT NULL DEFAULT 0,
  outcome TEXT NOT NULL DEFAULT '',
  UNIQUE (session, n),
  UNIQUE (session, key)
);
CREATE UNIQUE INDEX request_target ON request (target) WHERE target IS NOT NULL;
-- A claim reads what is not applied yet: without this index turn 1,000 would look at
-- the requests of all turns before it.
CREATE INDEX request_open ON request (session, n) WHERE applied = 0;
