// The way a session went
// The visits of a session and the paths between them, as a picture (Graph).
// :param session => '0199…';
// :param limit => 200;
MATCH (e:EXECUTION)
WHERE e.session = $session AND e.seq > 0
WITH e ORDER BY e.seq LIMIT $limit
OPTIONAL MATCH (e)-[t:TOOK]->(n:EXECUTION)
RETURN e, t, n
