// 002_indexes.cypher: what is looked for. Steps have no unique constraint: two pasted with
// one id must be seen and reported, not refused by the database.
CREATE INDEX step_id IF NOT EXISTS FOR (s:STEP) ON (s.id);
// By workflow alone, too: the other one does not see a step that lacks an id.
CREATE INDEX step_workflow IF NOT EXISTS FOR (s:STEP) ON (s.workflow);
CREATE INDEX step_workflow_id IF NOT EXISTS FOR (s:STEP) ON (s.workflow, s.id);
CREATE INDEX definition_step IF NOT EXISTS FOR (d:DEFINITION) ON (d.workflow, d.step);
// due_at is there only on sessions somebody has to pick up at some time, awaiting_since
// only on those with an open question, pending only on those whose status is pending
// (it is the workflow): such an index is as small as what it finds.
CREATE INDEX session_due_at IF NOT EXISTS FOR (s:SESSION) ON (s.due_at);
CREATE INDEX session_awaiting_since IF NOT EXISTS FOR (s:SESSION) ON (s.awaiting_since);
CREATE INDEX session_pending IF NOT EXISTS FOR (s:SESSION) ON (s.pending);
CREATE INDEX session_workflow_status IF NOT EXISTS FOR (s:SESSION) ON (s.workflow, s.status);
CREATE INDEX session_created_at IF NOT EXISTS FOR (s:SESSION) ON (s.created_at);
CREATE INDEX execution_session_seq IF NOT EXISTS FOR (e:EXECUTION) ON (e.session, e.seq);
CREATE INDEX execution_workflow_step_status IF NOT EXISTS FOR (e:EXECUTION) ON (e.workflow, e.step, e.status);
CREATE INDEX message_session_n IF NOT EXISTS FOR (m:MESSAGE) ON (m.session, m.n);
CREATE INDEX request_session_n IF NOT EXISTS FOR (q:REQUEST) ON (q.session, q.n);
// unapplied is the session, there only until the request has been applied.
CREATE INDEX request_unapplied IF NOT EXISTS FOR (q:REQUEST) ON (q.unapplied);
CREATE INDEX blob_session IF NOT EXISTS FOR (b:BLOB) ON (b.session);
CREATE INDEX result_session_step_visit IF NOT EXISTS FOR (r:RESULT) ON (r.session, r.step, r.visit);
