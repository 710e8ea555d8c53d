// delete_results.cypher: removes up to $limit results of rounds of a session, by index. Returns how many; 0: none is left.
MATCH (x:RESULT) WHERE x.session = $id AND x.step IS NOT NULL AND x.visit IS NOT NULL
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS deleted
