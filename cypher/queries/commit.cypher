// commit.cypher: writes checkpoints, at most one for a session, in the order of ids. The lock comes first, then the guard: only the
// holder of the lease writes, on the version it has read, and what closes only when it has seen all requests. One row for each that
// was written; of a missing one commit_unwritten.cypher tells why.
// The other end of READ and TOOK is found by its id; one that is not there leaves out the relation and nothing else.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.id})
SET s.lock = 0
WITH s, r, datetime.realtime() AS now
WHERE coalesce(s.version, 0) = r.version AND s.lease = r.lease AND NOT (r.closing AND coalesce(s.inbox, 0) > r.seen)
SET s += r.properties, s.updated_at = now, s.created_at = coalesce(s.created_at, now)
FOREACH (_ IN CASE WHEN r.pending THEN [1] END | SET s.pending = coalesce(s.workflow, 'default'))
FOREACH (_ IN CASE WHEN r.lease_for <> 0 AND NOT r.released THEN [1] END |
  SET s.lease_until = now + duration({milliseconds: r.lease_for}), s.due_at = now + duration({milliseconds: r.lease_for}))
FOREACH (_ IN CASE WHEN r.released THEN [1] END | SET s.due_at = CASE WHEN coalesce(s.inbox, 0) > r.seen THEN now ELSE r.due_at END)
FOREACH (m IN r.messages | CREATE (s)-[:SAID]->(x:MESSAGE) SET x = m)
WITH s, r, now
CALL (r) {
  UNWIND r.applied AS a
  MATCH (q:REQUEST {id: a.id})
  SET q.applied = true, q.outcome = a.outcome, q.unapplied = null
}
CALL (s, r) {
  UNWIND r.executions AS e
  CREATE (s)-[:EXECUTED]->(x:EXECUTION)
  SET x = e.properties
  WITH x, e
  UNWIND e.links AS l
  MATCH (o:EXECUTION {id: l.execution})
  FOREACH (label IN l.reads | CREATE (x)-[:READ {reference: label}]->(o))
  FOREACH (label IN l.took | CREATE (o)-[:TOOK {path: label}]->(x))
}
RETURN r.id AS id, coalesce(s.inbox, 0) AS inbox, now
