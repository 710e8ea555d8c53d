// commit_received.cypher: writes checkpoints that bring their request along, at most one for a session, in the order of ids. The lock comes
// first, then the guard: the session is at rest as it was read, and neither the request nor an answer to the same question is there.
// One row for each that was written; of a missing one commit_unwritten.cypher tells why. Executions are as in commit.cypher.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.id})
SET s.lock = 0
WITH s, r, datetime.realtime() AS now
WHERE s.deleting IS NULL AND coalesce(s.version, 0) = r.version AND s.lease IS NULL AND coalesce(s.inbox, 0) = r.seen - 1
  AND NOT EXISTS { MATCH (:REQUEST {id: r.request_id}) }
  AND NOT EXISTS { MATCH (:REQUEST {target: r.target}) }
SET s += r.properties, s.updated_at = now
FOREACH (_ IN CASE WHEN r.pending THEN [1] END | SET s.pending = coalesce(s.workflow, 'default'))
FOREACH (_ IN CASE WHEN NOT r.released THEN [1] END |
  SET s.lease_until = now + duration({milliseconds: r.lease_for}), s.due_at = now + duration({milliseconds: r.lease_for}))
FOREACH (_ IN CASE WHEN r.released THEN [1] END | SET s.due_at = r.due_at)
CREATE (s)-[:RECEIVED]->(q:REQUEST)
SET q = r.request, q.at = now
FOREACH (m IN r.messages | CREATE (s)-[:SAID]->(x:MESSAGE) SET x = m)
WITH s, r, now
CALL (s, r) {
  UNWIND r.executions AS e
  CREATE (s)-[:EXECUTED]->(x:EXECUTION {
    id: e[0], session: r.id, seq: e[1], workflow: e[2], step: e[3], visit: e[4], attempt: e[5], status: e[6], function: e[7], input: e[8], output: e[9], error: e[10],
    paths: e[11], usage: e[12], parent: e[13], definition: e[14], started_at: e[15], finished_at: e[16]
  })
  WITH x, e
  UNWIND e[17] AS l
  MATCH (o:EXECUTION {id: l[0]})
  FOREACH (label IN l[1] | CREATE (x)-[:READ {reference: label}]->(o))
  FOREACH (label IN l[2] | CREATE (o)-[:TOOK {path: label}]->(x))
}
RETURN r.id AS id, r.seen AS inbox, now
