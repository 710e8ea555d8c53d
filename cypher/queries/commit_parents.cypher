// commit_parents.cypher: tells parents that children have ended: one row for each parent, whose lock is held, with all requests for
// it. Those that are there already are not written again. A parent that nobody holds is due at once. A missing row: nothing to write, or the parent is gone.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.id})
WITH s, datetime.realtime() AS now,
     [q IN r.requests WHERE NOT EXISTS { MATCH (:REQUEST {id: q.id}) }] AS fresh, coalesce(s.inbox, 0) AS inbox
WHERE size(fresh) > 0 AND s.deleting IS NULL
WITH s, now, fresh, inbox, s.lease IS NOT NULL AND coalesce(s.lease_until > now, false) AS held
SET s.inbox = inbox + size(fresh),
    s.due_at = CASE WHEN held THEN s.due_at ELSE now END,
    s.claims = CASE WHEN held THEN s.claims ELSE 0 END
FOREACH (i IN range(0, size(fresh) - 1) |
  CREATE (s)-[:RECEIVED]->(q:REQUEST)
  SET q = fresh[i], q.n = inbox + i + 1, q.at = now)
RETURN s.id AS id, s.inbox AS inbox
