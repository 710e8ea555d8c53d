// batch_locked.cypher: one batch under its lock. It is rolled back: nothing is written. No row: there is none of that id.
MATCH (b:BATCH {id: $id})
SET b.lock = 0
WITH b
RETURN b {.*} AS batch
