// turn_over.cypher: ends the turns of the sessions of $ids, in their order, that are at rest or gone. One row for each turn that is over.
CYPHER replan=skip
UNWIND $ids AS id
OPTIONAL MATCH (s:SESSION {id: id})
SET s.lock = 0
WITH id, s, datetime.realtime() AS now
WHERE s IS NULL OR s.lease IS NULL AND coalesce(s.due_at > now, true)
MATCH (t:TURN {session: id})
DELETE t
RETURN id
