// duty_take.cypher: takes a duty for a time, or extends it. No row: another owner has it.
CYPHER replan=skip
MERGE (d:DUTY {name: $name})
SET d.lock = 0
WITH d, datetime.realtime() AS now
WHERE d.owner IS NULL OR d.owner = $owner OR coalesce(d.held_until <= now, true)
SET d.owner = $owner, d.held_until = now + duration({milliseconds: $for})
RETURN d.name AS name
