// turn_due.cypher: due sessions of the workflows of $ranks that nobody holds, in the order of their ranks, without taking any lock.
// has tells of one that has its turn, stopped of a cancel or pause in its inbox. No row: nothing is due.
MATCH (s:SESSION)
WHERE s.due_at <= datetime.realtime() AND coalesce(s.workflow, 'default') IN $workflows AND s.deleting IS NULL
  AND (s.lease IS NULL OR coalesce(s.lease_until <= datetime.realtime(), true)) AND NOT s.id IN $except
RETURN s.id AS id, coalesce(s.workflow, 'default') AS workflow, s.concurrency_key AS key,
       EXISTS { MATCH (t:TURN {session: s.id}) WHERE t.held IS NOT NULL } AS has,
       EXISTS { MATCH (q:REQUEST) WHERE q.unapplied = s.id AND q.kind IN ['cancel', 'pause'] } AS stopped
ORDER BY $ranks[coalesce(s.workflow, 'default')], s.due_at, s.id LIMIT $limit
