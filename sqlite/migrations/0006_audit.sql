-- Who did what from outside. at is UTC, in microseconds; entry is the whole entry as JSON, the columns are those of filters.
CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  action TEXT NOT NULL,
  workflow TEXT NOT NULL,
  session TEXT NOT NULL,
  refused INTEGER NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE INDEX audit_at ON audit (at, id);
CREATE INDEX audit_session ON audit (session, at) WHERE session <> '';
CREATE INDEX audit_workflow ON audit (workflow, at) WHERE workflow <> '';
