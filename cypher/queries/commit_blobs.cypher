// commit_blobs.cypher: keeps large outputs; one that is there already stays. Returns nothing.
UNWIND $rows AS r
MERGE (b:BLOB {id: r.id})
ON CREATE SET b.session = r.session, b.hash = r.hash, b.text = r.text
