// delete_messages.cypher: removes up to $limit messages of the sessions $ids, by index. Returns how many; 0: none is left.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (x:MESSAGE) USING INDEX x:MESSAGE(session, n) WHERE x.session = id AND x.n IS NOT NULL
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS deleted
