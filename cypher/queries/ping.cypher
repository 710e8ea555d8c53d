// ping.cypher: whether the database answers. Always one row.
RETURN 1 AS one
