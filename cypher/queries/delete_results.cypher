// delete_results.cypher: removes up to $limit results of rounds of the sessions $ids, by index. Returns how many; 0: none is left.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (x:RESULT) USING INDEX x:RESULT(session, step, visit) WHERE x.session = id AND x.step IS NOT NULL AND x.visit IS NOT NULL
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS deleted
