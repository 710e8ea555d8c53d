// commit_unwritten.cypher: why checkpoints were not written: again (an earlier sending is there), refused (it closes and there is a
// request it has not seen) or lost. What was refused stays so: requests only become more. A missing row: there is no such session,
// the checkpoint is lost.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.id})
SET s.lock = 0
RETURN r.id AS id, coalesce(s.inbox, 0) AS inbox, datetime.realtime() AS now, CASE
    WHEN coalesce(s.transition = r.transition, false) THEN 'again'
    WHEN r.closing AND coalesce(s.inbox, 0) > r.seen AND coalesce(s.version, 0) = r.version AND coalesce(s.lease = r.lease, false) THEN 'refused'
    ELSE 'lost' END AS outcome
