// delete_messages.cypher: removes up to $limit messages of a session, by index. Returns how many; 0: none is left.
MATCH (x:MESSAGE) WHERE x.session = $id AND x.n IS NOT NULL
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS deleted
