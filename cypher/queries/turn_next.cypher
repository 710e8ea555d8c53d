// turn_next.cypher: the first sessions in the queue of a lane, whether they begin, and whether they are still there. No row: nobody waits.
MATCH (t:TURN)
WHERE t.waiting = $id AND t.place > 0
RETURN t.session AS session, t.fresh AS fresh, EXISTS { MATCH (:SESSION {id: t.session}) } AS there
ORDER BY t.place, session LIMIT $limit
