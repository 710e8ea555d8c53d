-- One action on many sessions, and its items. Times are UTC, in microseconds. stopped_in is
-- the phase a stopped batch goes on in; deleting is 1 from the first step of a deletion on.
CREATE TABLE batch (
  id TEXT NOT NULL UNIQUE,
  action TEXT NOT NULL,
  phase TEXT NOT NULL,
  stopped_in TEXT NOT NULL DEFAULT '',
  deleting INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  forgiven INTEGER NOT NULL DEFAULT 0,
  reached INTEGER NOT NULL DEFAULT 0,
  message TEXT NOT NULL DEFAULT '',
  key TEXT,
  body_hash TEXT NOT NULL DEFAULT '',
  by TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  lease TEXT NOT NULL DEFAULT '',
  lease_owner TEXT NOT NULL DEFAULT '',
  lease_until INTEGER,
  due_at INTEGER,
  options TEXT
);
CREATE UNIQUE INDEX batch_key ON batch (key) WHERE key IS NOT NULL;
CREATE INDEX batch_due ON batch (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX batch_created ON batch (created_at, id);

CREATE TABLE batch_item (
  batch TEXT NOT NULL,
  n INTEGER NOT NULL,
  session TEXT NOT NULL,
  step TEXT NOT NULL DEFAULT '',
  visit INTEGER NOT NULL DEFAULT 0,
  ask INTEGER NOT NULL DEFAULT 0,
  outcome TEXT NOT NULL,
  error TEXT NOT NULL DEFAULT '',
  response TEXT,
  would TEXT,
  UNIQUE (batch, n)
);
-- What is still to be done, found without walking past what is.
CREATE INDEX batch_item_open ON batch_item (batch, n) WHERE outcome = 'open';
