// commit.cypher: writes checkpoints, at most one for a session, in the order of ids. The lock comes first, then the guard: only the
// holder of the lease writes, on the version it has read, and what closes only when it has seen all requests. One row for each that
// was written; of a missing one commit_unwritten.cypher tells why.
// A row is a list, and so are its executions, with columns in the order of commit_columns.go: names of properties would have to be
// read with each row. What a row may leave as it is, is a list of one value or of none.
// The other end of READ and TOOK is found by its id; one that is not there leaves out the relation and nothing else.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r[0]})
SET s.lock = 0
WITH s, r, datetime.realtime() AS now
WHERE coalesce(s.version, 0) = r[1] AND s.lease = r[2] AND NOT (r[3] AND coalesce(s.inbox, 0) > r[4])
SET s += {
  version: r[1] + 1, transition: r[5], status: r[6], seal: r[7], tried: r[10],
  awaiting: r[11], awaiting_since: r[12], awaiting_steps: r[13], awaiting_step: r[14], claims: 0,
  pending: CASE WHEN r[6] = 'pending' THEN coalesce(s.workflow, 'default') END, updated_at: now, created_at: coalesce(s.created_at, now)
}
FOREACH (text IN r[8] | SET s.state = text)
FOREACH (text IN r[9] | SET s.counters = text)
FOREACH (due IN r[15] | SET s += {lease: null, lease_owner: null, lease_until: null, due_at: CASE WHEN coalesce(s.inbox, 0) > r[4] THEN now ELSE due END})
FOREACH (ms IN r[16] | SET s += {lease_until: now + duration({milliseconds: ms}), due_at: now + duration({milliseconds: ms})})
FOREACH (m IN r[17] | CREATE (s)-[:SAID]->(x:MESSAGE) SET x = m)
WITH s, r, now
CALL (r) {
  UNWIND r[18] AS a
  MATCH (q:REQUEST {id: a[0]})
  SET q.applied = true, q.outcome = a[1], q.unapplied = null
}
CALL (s, r) {
  UNWIND r[19] AS e
  CREATE (s)-[:EXECUTED]->(x:EXECUTION {
    id: e[0], session: r[0], seq: e[1], workflow: e[2], step: e[3], visit: e[4], attempt: e[5], status: e[6], function: e[7], input: e[8], output: e[9], error: e[10],
    paths: e[11], usage: e[12], parent: e[13], definition: e[14], started_at: e[15], finished_at: e[16]
  })
  WITH x, e
  UNWIND e[17] AS l
  MATCH (o:EXECUTION {id: l[0]})
  FOREACH (label IN l[1] | CREATE (x)-[:READ {reference: label}]->(o))
  FOREACH (label IN l[2] | CREATE (o)-[:TOOK {path: label}]->(x))
}
RETURN r[0] AS id, coalesce(s.inbox, 0) AS inbox, now
