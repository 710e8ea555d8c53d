// blobs.cypher: large outputs by session/hash. A missing row: there is none.
UNWIND $ids AS id
MATCH (b:BLOB {id: id})
RETURN b.hash AS hash, b.text AS text
