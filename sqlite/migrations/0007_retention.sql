-- Sessions whose removal has begun: nobody may claim them, and they take no requests. A table
-- of its own, as it is nearly always empty; a column of session would lie behind its state.
CREATE TABLE removal (
  session TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- What only one engine does at a time, and who does it until when (UTC, in microseconds).
CREATE TABLE duty (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  held_until INTEGER NOT NULL
) STRICT;

-- Whether a batch still has something to do with a session.
CREATE INDEX batch_item_session ON batch_item (session) WHERE outcome = 'open';
