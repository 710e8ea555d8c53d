// batches_due.cypher: ids of batches that somebody has to work on, the one due longest first, without taking any lock.
// No row: nothing is due. The claim takes the lock of one and looks again.
MATCH (b:BATCH)
WHERE b.due_at <= datetime.realtime()
RETURN b.id AS id ORDER BY b.due_at LIMIT $limit
