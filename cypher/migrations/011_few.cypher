// 011_few.cypher: how lists find the few sessions among many that have some labels or wait at some step.
// oldest engine: 11, because one that does not know awaiting_step would pause sessions that lists by step then lack.
// The analyzer splits at white space and cuts words at 255 characters: a longer word of one piece, as other analyzers make it, stops the server
// for good when the commit is applied. So the index finds all sessions that have a label, and some that have another.
CREATE FULLTEXT INDEX session_labels IF NOT EXISTS FOR (s:SESSION) ON EACH [s.labels] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
// awaiting_step is the step with the open question; '' where several steps have one. Only sessions with an open question have it.
CREATE INDEX session_awaiting_step_workflow IF NOT EXISTS FOR (s:SESSION) ON (s.awaiting_step, s.workflow);
MATCH (s:SESSION) WHERE s.awaiting_since >= datetime({epochMillis: 0}) AND s.awaiting_step IS NULL AND size(s.awaiting_steps) > 0
CALL (s) {
  SET s.awaiting_step = CASE WHEN all(step IN s.awaiting_steps WHERE step = s.awaiting_steps[0]) THEN s.awaiting_steps[0] ELSE '' END
} IN TRANSACTIONS OF 1000 ROWS;
