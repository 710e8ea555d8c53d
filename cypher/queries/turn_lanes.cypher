// turn_lanes.cypher: lanes of the workflows of $most at which somebody has to look and that are not full, those first that have waited longest.
// $most is how many sessions of a lane run at once, 0 for any number. No row: none.
MATCH (l:LANE)
WHERE l.look_at <= datetime.realtime() AND l.workflow IN $workflows
WITH l, COUNT { MATCH (t:TURN) WHERE t.held = l.id MATCH (s:SESSION {id: t.session}) WHERE s.lease IS NOT NULL OR s.due_at <= datetime.realtime() } AS running
WHERE $most[l.workflow] = 0 OR running < $most[l.workflow]
RETURN l.id AS id, l.workflow AS workflow ORDER BY l.look_at, id LIMIT $limit
