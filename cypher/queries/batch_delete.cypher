// batch_delete.cypher: removes a batch whose items are gone. Returns nothing.
MATCH (b:BATCH {id: $id})
DETACH DELETE b
