// delete_blobs.cypher: removes up to $limit large outputs of the sessions $ids, by index. Returns how many; 0: none is left.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (x:BLOB) USING INDEX x:BLOB(session) WHERE x.session = id
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS deleted
