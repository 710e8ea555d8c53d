// At which steps people are waited for
// Open questions by workflow and step, and since when the oldest of them waits. No row: nothing waits.
MATCH (s:SESSION)
WHERE s.awaiting_since >= datetime({epochMillis: 0})
UNWIND s.awaiting_steps AS step
RETURN s.workflow AS workflow, step, count(*) AS questions, min(s.awaiting_since) AS oldest
ORDER BY questions DESC, workflow, step
