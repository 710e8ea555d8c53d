// batch_items_open.cypher: a page of the items of a batch that are still to be done, in order, by the index on batch and todo: those
// that are done are not walked past. No row: nothing (more) is to be done.
MATCH (i:BATCH_ITEM)
WHERE i.batch = $id AND i.todo > $above
WITH i ORDER BY i.batch, i.todo LIMIT $limit
RETURN i {.*} AS item
ORDER BY i.n
