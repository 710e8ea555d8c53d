// wake_pending.cypher: makes the pending sessions of a workflow due that nobody holds. Returns how many.
MATCH (s:SESSION {workflow: $workflow, status: 'pending'})
WITH s ORDER BY s.id
SET s.lock = 0
WITH s, datetime.realtime() AS now
WHERE s.status = 'pending' AND s.deleting IS NULL AND (s.lease IS NULL OR coalesce(s.lease_until <= now, true))
SET s.due_at = now
RETURN count(s) AS woken
