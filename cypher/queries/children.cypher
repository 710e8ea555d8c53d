// children.cypher: ids of a session's children. No row: none.
MATCH (:SESSION {id: $id})<-[:CHILD_OF]-(c:SESSION)
RETURN c.id AS id ORDER BY id
