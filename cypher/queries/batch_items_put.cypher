// batch_items_put.cypher: writes items; one of a number that is there is replaced. The batch is locked. Returns nothing.
UNWIND $rows AS r
MERGE (i:BATCH_ITEM {id: r.id})
SET i = r
