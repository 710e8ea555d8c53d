// commit_results.cypher: keeps the outputs of containers' rounds; one that is there already is replaced, one of a session that is gone
// is left out. Returns nothing.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.session}) WHERE s.deleting IS NULL
MERGE (x:RESULT {id: r.id})
SET x = r
