// commit_results.cypher: keeps the outputs of containers' rounds; one that is there already is replaced. Returns nothing.
UNWIND $rows AS r
MERGE (x:RESULT {id: r.id})
SET x = r
