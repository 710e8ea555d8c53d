-- Lists and counts of any number of sessions. A page of a status, a step or a label is read
-- from an index in its order; counts are kept while sessions change, not counted.
DROP INDEX session_status;
CREATE INDEX session_status ON session (workflow, status, created_at, id);
CREATE INDEX session_workflow_awaiting ON session (workflow, awaiting_since, id) WHERE awaiting_since IS NOT NULL;

-- The open questions of sessions, as session.awaiting has them; n is the place there.
CREATE TABLE question (
  step TEXT NOT NULL,
  workflow TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  session TEXT NOT NULL,
  n INTEGER NOT NULL,
  awaiting_since INTEGER,
  PRIMARY KEY (step, workflow, created_at, session, n)
) WITHOUT ROWID;
CREATE INDEX question_since ON question (step, workflow, awaiting_since, session, n);
CREATE INDEX question_session ON question (session);

CREATE TABLE label (
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  session TEXT NOT NULL,
  PRIMARY KEY (key, value, created_at, session)
) WITHOUT ROWID;
CREATE INDEX label_session ON label (session);

-- How many sessions a workflow has by status (kind status), and how many questions by step (kind step).
CREATE TABLE tally (
  kind TEXT NOT NULL,
  workflow TEXT NOT NULL,
  name TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (kind, workflow, name)
) WITHOUT ROWID;

INSERT INTO question (step, workflow, created_at, session, n, awaiting_since)
SELECT q.value ->> 'step', s.workflow, s.created_at, s.id, q.key, s.awaiting_since
FROM session AS s, json_each(CASE WHEN json_valid(s.awaiting) THEN s.awaiting END) AS q
WHERE s.awaiting_since IS NOT NULL AND q.value ->> 'step' IS NOT NULL;
INSERT INTO label (key, value, created_at, session)
SELECT l.key, l.value, s.created_at, s.id FROM session AS s, json_each(CASE WHEN json_valid(s.labels) THEN s.labels END) AS l;
INSERT INTO tally (kind, workflow, name, n) SELECT 'status', workflow, status, count(*) FROM session GROUP BY workflow, status;
INSERT INTO tally (kind, workflow, name, n) SELECT 'step', workflow, step, count(*) FROM question GROUP BY workflow, step;

CREATE TRIGGER session_tally_insert AFTER INSERT ON session BEGIN
  INSERT INTO tally (kind, workflow, name, n) VALUES ('status', NEW.workflow, NEW.status, 1)
  ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER session_tally_update AFTER UPDATE OF workflow, status ON session
WHEN OLD.workflow <> NEW.workflow OR OLD.status <> NEW.status BEGIN
  UPDATE tally SET n = n - 1 WHERE kind = 'status' AND workflow = OLD.workflow AND name = OLD.status;
  INSERT INTO tally (kind, workflow, name, n) VALUES ('status', NEW.workflow, NEW.status, 1)
  ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER session_tally_delete AFTER DELETE ON session BEGIN
  UPDATE tally SET n = n - 1 WHERE kind = 'status' AND workflow = OLD.workflow AND name = OLD.status;
END;

CREATE TRIGGER session_labels_insert AFTER INSERT ON session WHEN NEW.labels IS NOT NULL BEGIN
  INSERT INTO label (key, value, created_at, session)
  SELECT l.key, l.value, NEW.created_at, NEW.id FROM json_each(CASE WHEN json_valid(NEW.labels) THEN NEW.labels END) AS l;
END;
CREATE TRIGGER session_labels_update AFTER UPDATE OF labels ON session WHEN OLD.labels IS NOT NEW.labels BEGIN
  DELETE FROM label WHERE session = NEW.id;
  INSERT INTO label (key, value, created_at, session)
  SELECT l.key, l.value, NEW.created_at, NEW.id FROM json_each(CASE WHEN json_valid(NEW.labels) THEN NEW.labels END) AS l;
END;
CREATE TRIGGER session_labels_delete AFTER DELETE ON session WHEN OLD.labels IS NOT NULL BEGIN
  DELETE FROM label WHERE session = OLD.id;
END;

CREATE TRIGGER session_questions_insert AFTER INSERT ON session WHEN NEW.awaiting IS NOT NULL AND NEW.awaiting_since IS NOT NULL BEGIN
  INSERT INTO question (step, workflow, created_at, session, n, awaiting_since)
  SELECT q.value ->> 'step', NEW.workflow, NEW.created_at, NEW.id, q.key, NEW.awaiting_since
  FROM json_each(CASE WHEN json_valid(NEW.awaiting) THEN NEW.awaiting END) AS q WHERE q.value ->> 'step' IS NOT NULL;
END;
CREATE TRIGGER session_questions_update AFTER UPDATE OF awaiting, awaiting_since, workflow ON session
WHEN OLD.awaiting IS NOT NEW.awaiting OR OLD.awaiting_since IS NOT NEW.awaiting_since OR OLD.workflow <> NEW.workflow BEGIN
  DELETE FROM question WHERE session = NEW.id;
  INSERT INTO question (step, workflow, created_at, session, n, awaiting_since)
  SELECT q.value ->> 'step', NEW.workflow, NEW.created_at, NEW.id, q.key, NEW.awaiting_since
  FROM json_each(CASE WHEN json_valid(NEW.awaiting) AND NEW.awaiting_since IS NOT NULL THEN NEW.awaiting END) AS q WHERE q.value ->> 'step' IS NOT NULL;
END;
CREATE TRIGGER session_questions_delete AFTER DELETE ON session WHEN OLD.awaiting IS NOT NULL BEGIN
  DELETE FROM question WHERE session = OLD.id;
END;

CREATE TRIGGER question_tally_insert AFTER INSERT ON question BEGIN
  INSERT INTO tally (kind, workflow, name, n) VALUES ('step', NEW.workflow, NEW.step, 1)
  ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER question_tally_delete AFTER DELETE ON question BEGIN
  UPDATE tally SET n = n - 1 WHERE kind = 'step' AND workflow = OLD.workflow AND name = OLD.step;
END;
