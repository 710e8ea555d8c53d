// delete_sessions.cypher: removes the sessions $ids themselves, last of all. Returns nothing.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (s:SESSION {id: id})
DETACH DELETE s
