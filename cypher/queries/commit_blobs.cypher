// commit_blobs.cypher: keeps large outputs; one that is there already stays, one of a session that is gone is left out. Returns nothing.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.session}) WHERE s.deleting IS NULL
MERGE (b:BLOB {id: r.id})
ON CREATE SET b.session = r.session, b.hash = r.hash, b.text = r.text
