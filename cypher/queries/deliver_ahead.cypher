// deliver_ahead.cypher: writes deliveries that were decided without a lock, in the order of ids. The lock comes first, then the guard:
// the session and its inbox are what the decision saw, and neither the request nor an answer to the same question is there.
// A missing row: something has changed, the delivery is decided again under the lock.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.session})
SET s.lock = 0
WITH s, r
WHERE s.deleting IS NULL
  AND coalesce(s.version, 0) = r.version AND coalesce(s.inbox, 0) = r.inbox AND coalesce(s.lease, '') = r.lease
  AND COLLECT { MATCH (q:REQUEST) WHERE q.unapplied = r.session RETURN q.n ORDER BY q.n } = r.unapplied
  AND NOT EXISTS { MATCH (:REQUEST {id: r.id}) }
  AND NOT EXISTS { MATCH (:REQUEST {target: r.target}) }
SET s += r.properties
CREATE (s)-[:RECEIVED]->(q:REQUEST)
SET q = r.request
RETURN r.session AS id
