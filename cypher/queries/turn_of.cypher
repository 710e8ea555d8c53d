// turn_of.cypher: what a session in a queue waits for. No row: it is in none.
MATCH (t:TURN {session: $session})
WHERE t.waiting IS NOT NULL
MATCH (l:LANE {id: t.waiting})
WITH t, l, datetime.realtime() AS now
RETURN l.workflow AS workflow, l.key AS key, t.since AS since, CASE WHEN l.next_at > now THEN l.next_at END AS next_at,
       COUNT { MATCH (o:TURN) WHERE o.waiting = l.id AND (o.place < t.place OR o.place = t.place AND o.session < t.session) } AS ahead,
       COUNT { MATCH (h:TURN) WHERE h.held = l.id MATCH (s:SESSION {id: h.session}) WHERE s.lease IS NOT NULL OR s.due_at <= now } AS running
