// turn_look.cypher: when to look at a lane again, and when its rate lets the next session start. No row: the lane is gone.
MATCH (l:LANE {id: $id})
SET l.look_at = datetime.realtime() + duration({milliseconds: $for}), l.next_at = $next_at
RETURN l.id AS id
