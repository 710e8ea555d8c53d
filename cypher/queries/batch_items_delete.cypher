// batch_items_delete.cypher: removes up to $limit items of a batch, by index. Returns how many; 0: none is left.
MATCH (i:BATCH_ITEM) WHERE i.batch = $id AND i.n IS NOT NULL
WITH i LIMIT $limit
DETACH DELETE i
RETURN count(*) AS deleted
