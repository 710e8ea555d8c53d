// batch.cypher: one batch. No row: there is none of that id.
MATCH (b:BATCH {id: $id})
RETURN b {.*} AS batch
