// Batches and their progress
// The newest batches: what they do, how far they are, who works on them. open is what is still to be done. No row: none was made.
// :param limit => 20;
MATCH (b:BATCH)
WHERE b.created_at <= datetime()
WITH b ORDER BY b.created_at DESC LIMIT $limit
RETURN b.id AS batch, b.action AS action, b.phase AS phase, b.total AS total, b.done AS done, b.failed AS failed,
       b.total - b.done - b.failed AS open, b.message AS message, b.by AS who, b.options AS options, b.created_at AS created_at,
       b.updated_at AS updated_at, b.lease_owner AS worked_on_by, b.due_at AS due_at
ORDER BY created_at DESC
