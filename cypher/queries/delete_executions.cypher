// delete_executions.cypher: removes up to $limit executions of a session, by index. Returns how many; 0: none is left.
MATCH (x:EXECUTION) WHERE x.session = $id AND x.seq IS NOT NULL
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS deleted
