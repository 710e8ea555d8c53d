// delete_executions.cypher: removes up to $limit executions of the sessions $ids, by index. Returns how many; 0: none is left.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (x:EXECUTION) USING INDEX x:EXECUTION(session, seq) WHERE x.session = id AND x.seq IS NOT NULL
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS deleted
