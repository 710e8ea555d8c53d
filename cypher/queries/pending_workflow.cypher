// pending_workflow.cypher: the first workflow after $after with a pending session. No row: there is none. Asked once for each such
// workflow, it reads one entry of the index each time, however many sessions are pending.
MATCH (s:SESSION)
WHERE s.pending > $after
RETURN s.pending AS workflow ORDER BY s.pending LIMIT 1
