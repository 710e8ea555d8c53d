// wake_pending.cypher: makes at most $limit pending sessions of a workflow due that no lease holds, that are
// not due yet and were not tried with $definition. Returns how many were chosen. Candidates are chosen without a lock, locked in id order and checked again.
MATCH (s:SESSION {workflow: $workflow, status: 'pending'})
WITH s, datetime.realtime() AS now
WHERE s.deleting IS NULL AND NOT EXISTS { MATCH (t:TURN {session: s.id}) WHERE t.waiting IS NOT NULL } AND coalesce(s.tried <> $definition, true) AND coalesce(s.due_at > now, true) AND (s.lease IS NULL OR coalesce(s.lease_until <= now, true))
WITH s LIMIT $limit
WITH s ORDER BY s.id
SET s.lock = 0
WITH s, datetime.realtime() AS now
WITH s, CASE WHEN s.status = 'pending' AND s.deleting IS NULL AND (s.lease IS NULL OR coalesce(s.lease_until <= now, true))
  THEN now ELSE s.due_at END AS due
SET s.due_at = due
RETURN count(s) AS woken
