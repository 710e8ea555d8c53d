// sessions_locked.cypher: the sessions of $ids that exist, with their state, under their locks, which are taken in the order of
// $ids, that of ids. It is rolled back: nothing is written. A missing row: there is no such session.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (s:SESSION {id: id})
SET s.lock = 0
WITH s
RETURN s {.*} AS session
