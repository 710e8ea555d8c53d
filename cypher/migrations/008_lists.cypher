// 008_lists.cypher: pages of sessions of a status or a workflow, newest first, in the order of an index however many sessions have that status.
CREATE INDEX session_workflow_status_created_at IF NOT EXISTS FOR (s:SESSION) ON (s.workflow, s.status, s.created_at);
CREATE INDEX session_status_created_at IF NOT EXISTS FOR (s:SESSION) ON (s.status, s.created_at);
CREATE INDEX session_workflow_created_at IF NOT EXISTS FOR (s:SESSION) ON (s.workflow, s.created_at);
