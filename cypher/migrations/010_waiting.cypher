// 010_waiting.cypher: sessions of one workflow with an open question, the one that waits longest first. Only they have awaiting_since, so that the
// index is as small as what it finds.
CREATE INDEX session_workflow_awaiting_since IF NOT EXISTS FOR (s:SESSION) ON (s.workflow, s.awaiting_since);
