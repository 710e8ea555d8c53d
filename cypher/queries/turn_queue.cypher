// turn_queue.cypher: puts sessions that are due and have no turn into queues, in the order of ids. One that has waited before keeps its place.
// A missing row: somebody else was faster.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.id})
SET s.lock = 0
WITH s, r, datetime.realtime() AS now
WHERE s.deleting IS NULL AND coalesce(s.due_at <= now, false) AND (s.lease IS NULL OR coalesce(s.lease_until <= now, true))
  AND NOT EXISTS { MATCH (o:TURN {session: s.id}) WHERE o.held IS NOT NULL }
WITH s, r, coalesce(s.version, 0) = 0 AND coalesce(s.root, s.id) = s.id AS fresh
MERGE (t:TURN {session: s.id})
ON CREATE SET t.place = s.due_at.epochMillis + CASE WHEN fresh THEN $fresh ELSE 0 END, t.since = s.due_at, t.fresh = fresh, t.status = coalesce(s.status, '')
SET t.waiting = r.lane, s.due_at = null, s.status = 'pending'
RETURN s.id AS id
