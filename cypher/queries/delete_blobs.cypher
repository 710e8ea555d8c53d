// delete_blobs.cypher: removes up to $limit large outputs of a session, by index. Returns how many; 0: none is left.
MATCH (x:BLOB) WHERE x.session = $id
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS deleted
