// turn_lane_drop.cypher: removes a lane in which nobody runs or waits. Its lock is held. Returns nothing.
MATCH (l:LANE {id: $id})
DELETE l
