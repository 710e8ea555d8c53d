// batch_collecting.cypher: takes the lock of a batch that is to get items, and shows its phase. No row: there is no such batch.
MATCH (b:BATCH {id: $id})
SET b.lock = 0
WITH b, datetime.realtime() AS now
SET b.updated_at = now
RETURN b.phase AS phase
