// delete_requests.cypher: removes up to $limit requests of the sessions $ids, by index. Returns how many; 0: none is left.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (x:REQUEST) USING INDEX x:REQUEST(session, n) WHERE x.session = id AND x.n IS NOT NULL
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS deleted
