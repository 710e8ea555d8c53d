-- Workflows, their steps and paths, and what they have been.
-- Properties are JSON objects, as a node or relationship of a graph would carry them.
CREATE TABLE workflow (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  settings TEXT,
  extra TEXT
) WITHOUT ROWID;

CREATE TABLE step (
  workflow TEXT NOT NULL,
  id TEXT NOT NULL,
  properties TEXT NOT NULL,
  UNIQUE (workflow, id)
);

-- target_workflow is empty where both ends are in one workflow, as they should be.
-- AUTOINCREMENT, because people hold ids while they edit: none may come back as another path.
CREATE TABLE path (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workflow TEXT NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  target_workflow TEXT NOT NULL DEFAULT '',
  target TEXT NOT NULL,
  properties TEXT NOT NULL
);
CREATE INDEX path_source ON path (workflow, source);
CREATE INDEX path_target ON path (workflow, target);
CREATE INDEX path_foreign ON path (target_workflow, target) WHERE target_workflow <> '';

-- The text of a step as it was when it ran; first_seen in microseconds.
CREATE TABLE definition (
  hash TEXT PRIMARY KEY,
  workflow TEXT NOT NULL,
  step TEXT NOT NULL,
  text TEXT NOT NULL,
  first_seen INTEGER NOT NULL
);
CREATE INDEX definition_step ON definition (workflow, step, first_seen);

-- A workflow as it was published; id is workflow@n.
CREATE TABLE revision (
  id TEXT PRIMARY KEY,
  workflow TEXT NOT NULL,
  n INTEGER NOT NULL,
  document TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (workflow, n)
);
