// turn_queue_lanes.cypher: makes the lanes of $rows, in the order of ids, ones to look at now, and takes their locks. One row for each.
CYPHER replan=skip
UNWIND $rows AS r
MERGE (l:LANE {id: r.id})
ON CREATE SET l.workflow = r.workflow, l.key = r.key, l.look_at = datetime.realtime()
SET l.lock = 0
WITH l, datetime.realtime() AS now
SET l.look_at = CASE WHEN l.look_at <= now THEN l.look_at ELSE now END
RETURN l.id AS id
