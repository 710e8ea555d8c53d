// executions_forward.cypher: a page of a session's executions, in order, by the index on session and seq. No row: nothing (more) is there.
MATCH (x:EXECUTION)
WHERE x.session = $session AND x.seq > $after AND x.seq < $before AND ($step IS NULL OR x.step = $step)
WITH x ORDER BY x.session, x.seq LIMIT $limit
RETURN x {.*} AS item,
       CASE WHEN $lineage THEN [(x)-[l:READ]->(o:EXECUTION) | [o.id, l.reference]] END AS reads,
       CASE WHEN $lineage THEN [(o:EXECUTION)-[l:TOOK]->(x) | [o.id, l.path]] END AS took
ORDER BY x.session, x.seq
