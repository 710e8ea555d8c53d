// delete_session.cypher: removes the session itself, last of all. Returns nothing.
MATCH (s:SESSION {id: $id})
DETACH DELETE s
