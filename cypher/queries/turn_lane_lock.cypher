// turn_lane_lock.cypher: takes the lock of a lane. next_at is when its rate lets the next session start. No row: the lane is gone.
MATCH (l:LANE {id: $id})
SET l.lock = 0
RETURN l.next_at AS next_at, datetime.realtime() AS now
