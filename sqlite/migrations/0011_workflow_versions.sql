-- oldest engine: 10
-- Counts the changes of each workflow, its steps and paths, whoever makes them, so that a reader knows
-- with one row whether what it read before is current. A deleted workflow keeps its row: a new one of
-- its id must not have a number again.
-- oldest engine: 10
CREATE TABLE workflow_version (
  workflow TEXT PRIMARY KEY,
  n INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO workflow_version (workflow, n) SELECT id, 1 FROM workflow UNION SELECT workflow, 1 FROM step UNION SELECT workflow, 1 FROM path;

CREATE TRIGGER workflow_version_insert AFTER INSERT ON workflow BEGIN
  INSERT INTO workflow_version (workflow, n) VALUES (NEW.id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER workflow_version_update AFTER UPDATE ON workflow BEGIN
  UPDATE workflow_version SET n = n + 1 WHERE workflow = OLD.id AND OLD.id <> NEW.id;
  INSERT INTO workflow_version (workflow, n) VALUES (NEW.id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER workflow_version_delete AFTER DELETE ON workflow BEGIN
  INSERT INTO workflow_version (workflow, n) VALUES (OLD.id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER step_version_insert AFTER INSERT ON step BEGIN
  INSERT INTO workflow_version (workflow, n) VALUES (NEW.workflow, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER step_version_update AFTER UPDATE ON step BEGIN
  UPDATE workflow_version SET n = n + 1 WHERE workflow = OLD.workflow AND OLD.workflow <> NEW.workflow;
  INSERT INTO workflow_version (workflow, n) VALUES (NEW.workflow, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER step_version_delete AFTER DELETE ON step BEGIN
  INSERT INTO workflow_version (workflow, n) VALUES (OLD.workflow, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER path_version_insert AFTER INSERT ON path BEGIN
  INSERT INTO workflow_version (workflow, n) VALUES (NEW.workflow, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER path_version_update AFTER UPDATE ON path BEGIN
  UPDATE workflow_version SET n = n + 1 WHERE workflow = OLD.workflow AND OLD.workflow <> NEW.workflow;
  INSERT INTO workflow_version (workflow, n) VALUES (NEW.workflow, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER path_version_delete AFTER DELETE ON path BEGIN
  INSERT INTO workflow_version (workflow, n) VALUES (OLD.workflow, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
