// removal_lock.cypher: takes the locks of sessions in the order of $marks, which is that of ids, and says whether each is still as
// it was marked and at rest; one whose removal has begun was looked at then. A missing row: there is no such session.
CYPHER replan=skip
UNWIND $marks AS m
MATCH (s:SESSION {id: m.id})
SET s.lock = 0
WITH s, m, datetime.realtime() AS now
RETURN s.id AS id, s.deleting IS NULL AND (coalesce(s.version, 0) <> m.version OR coalesce(s.inbox, 0) <> m.inbox OR s.due_at IS NOT NULL
  OR (s.lease IS NOT NULL AND coalesce(s.lease_until > now, false))) AS changed
