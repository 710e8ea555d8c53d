// turn_lanes_of.cypher: what waits and runs in the lanes of a workflow, or of all when $workflow is empty, those first in which most wait. No row: nothing.
// may scan: a lane goes a minute after its last turn.
MATCH (l:LANE)
WHERE $workflow = '' OR l.workflow = $workflow
WITH l, datetime.realtime() AS now
WITH l, COUNT { MATCH (t:TURN) WHERE t.waiting = l.id } AS waiting,
     COUNT { MATCH (h:TURN) WHERE h.held = l.id MATCH (s:SESSION {id: h.session}) WHERE s.lease IS NOT NULL OR s.due_at <= now } AS running
WHERE waiting > 0 OR running > 0
RETURN l.workflow AS workflow, l.key AS key, waiting, running,
       head(COLLECT { MATCH (o:TURN) WHERE o.waiting = l.id AND o.place > 0 RETURN o.since ORDER BY o.place LIMIT 1 }) AS oldest
ORDER BY waiting DESC, workflow, key LIMIT $limit
