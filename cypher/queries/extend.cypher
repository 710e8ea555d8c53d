// extend.cypher: extends leases that are still held. A missing row: that lease is lost.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.id})
SET s.lock = 0
WITH s, r, datetime.realtime() AS now
WHERE s.lease = r.token
WITH s, now, CASE WHEN coalesce(s.claims, 0) < 3 THEN 0 WHEN s.claims > 9 THEN 64 ELSE toInteger(2 ^ (s.claims - 3)) END AS wait
SET s.lease_until = now + duration({milliseconds: $by}), s.due_at = now + duration({milliseconds: $by, seconds: wait})
RETURN s.id AS id
