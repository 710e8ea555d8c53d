// batch_items.cypher: a page of a batch's items, in order, those of one outcome or all, by the index on batch and n, which
// gives the order too (it does so only where ORDER BY names both).
// No row: nothing (more) is there.
MATCH (i:BATCH_ITEM)
WHERE i.batch = $id AND i.n > $above AND ($outcome IS NULL OR i.outcome = $outcome)
WITH i ORDER BY i.batch, i.n LIMIT $limit
RETURN i {.*} AS item
ORDER BY i.n
