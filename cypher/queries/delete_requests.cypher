// delete_requests.cypher: removes up to $limit requests of a session, by index. Returns how many; 0: none is left.
MATCH (x:REQUEST) WHERE x.session = $id AND x.n IS NOT NULL
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS deleted
