// turn_drop.cypher: the sessions of $ids need no turn any more. One row for each that had one or waited for one.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (t:TURN {session: id})
DELETE t
RETURN id
