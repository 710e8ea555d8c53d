// turn_give.cypher: gives sessions of a lane their turn, in the order of ids: they are due, with the status they had before they waited. One row for each.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (s:SESSION {id: id})
SET s.lock = 0
WITH s, datetime.realtime() AS now
MATCH (t:TURN {session: s.id})
SET t.held = $lane, t.waiting = null,
    s.due_at = CASE WHEN s.lease IS NULL OR coalesce(s.lease_until <= now, true) THEN now ELSE s.due_at END,
    s.status = CASE WHEN s.status <> 'pending' THEN s.status WHEN t.status = '' THEN null ELSE t.status END
RETURN s.id AS id
