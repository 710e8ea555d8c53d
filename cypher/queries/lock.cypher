// lock.cypher: takes the locks of sessions in the order of $ids, which is that of ids, and shows them as they are then.
// A missing row: there is no such session, or it is being deleted.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (s:SESSION {id: id})
SET s.lock = 0
WITH s, datetime.realtime() AS now
WHERE s.deleting IS NULL
RETURN s {.*} AS session, now
