// commit.cypher: writes checkpoints, at most one for a session, in the order of ids. The lock comes first, then the guard: only the
// holder of the lease writes, on the version it has read. outcome is again (an earlier sending is there), lost, refused (it closes
// and there is a request it has not seen) or written. A missing row: there is no such session, the checkpoint is lost.
// The other end of READ and TOOK is found by its id; one that is not there leaves out the relation and nothing else.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.id})
SET s.lock = 0
WITH s, r, datetime.realtime() AS now, CASE
    WHEN coalesce(s.transition = r.transition, false) THEN 'again'
    WHEN coalesce(s.version, 0) <> r.version OR coalesce(s.lease <> r.lease, true) THEN 'lost'
    WHEN r.closing AND coalesce(s.inbox, 0) > r.seen THEN 'refused'
    ELSE 'written' END AS outcome
CALL (s, r, now, outcome) {
  WITH s, r, now, outcome WHERE outcome = 'written'
  SET s += r.properties, s.version = r.version + 1, s.updated_at = now, s.created_at = coalesce(s.created_at, now),
      s.pending = CASE WHEN r.pending THEN coalesce(s.workflow, 'default') END,
      s.lease_until = CASE WHEN r.released THEN null WHEN r.lease_for = 0 THEN s.lease_until ELSE now + duration({milliseconds: r.lease_for}) END,
      s.due_at = CASE
        WHEN NOT r.released AND r.lease_for = 0 THEN s.due_at
        WHEN NOT r.released THEN now + duration({milliseconds: r.lease_for})
        WHEN coalesce(s.inbox, 0) > r.seen THEN now
        ELSE r.due_at END
  FOREACH (m IN r.messages | CREATE (s)-[:SAID]->(x:MESSAGE) SET x = m)
}
CALL (r, outcome) {
  WITH r, outcome WHERE outcome = 'written'
  UNWIND r.applied AS a
  MATCH (q:REQUEST {id: a.id})
  SET q.applied = true, q.outcome = a.outcome, q.unapplied = null
}
CALL (s, r, outcome) {
  WITH s, r, outcome WHERE outcome = 'written'
  UNWIND r.executions AS e
  CREATE (s)-[:EXECUTED]->(x:EXECUTION)
  SET x = e.properties
  WITH x, e
  CALL (x, e) {
    UNWIND e.reads AS l
    MATCH (o:EXECUTION {id: l.execution})
    CREATE (x)-[:READ {reference: l.label}]->(o)
  }
  CALL (x, e) {
    UNWIND e.took AS l
    MATCH (o:EXECUTION {id: l.execution})
    CREATE (o)-[:TOOK {path: l.label}]->(x)
  }
}
RETURN r.id AS id, outcome, coalesce(s.inbox, 0) AS inbox, now
