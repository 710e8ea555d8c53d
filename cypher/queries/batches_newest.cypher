// batches_newest.cypher: a page of batches, newest first, by the index on created_at, under their locks. It is rolled back: nothing is
// written. No row: nothing (more) is there.
MATCH (b:BATCH)
WHERE b.created_at <= coalesce($after_at, datetime({year: 9999}))
  AND ($after_at IS NULL OR b.created_at < $after_at OR (b.created_at = $after_at AND b.id < $after_id))
WITH b ORDER BY b.created_at DESC, b.id DESC LIMIT $limit
SET b.lock = 0
WITH b ORDER BY b.created_at DESC, b.id DESC
RETURN b {.*} AS batch
