// batch_items_save.cypher: writes what items are pinned to and what became of them; one that is not open any more stays as it is.
// The batch is locked. Returns nothing.
UNWIND $rows AS r
MATCH (i:BATCH_ITEM {id: r.id})
WHERE i.todo IS NOT NULL
SET i += r.properties
