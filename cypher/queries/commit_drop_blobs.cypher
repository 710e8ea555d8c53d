// commit_drop_blobs.cypher: removes large outputs that nothing holds any more. Returns nothing.
UNWIND $ids AS id
MATCH (b:BLOB {id: id})
DELETE b
