// Remove the orphans of a session
// Deletes what is left of a session that is no longer there, at most $limit nodes: run it until it removes nothing. A session that is
// there is left alone: `session delete` is for that. Always one row.
// :param session => '0199…';
// :param limit => 2000;
CALL () {
  MATCH (x:EXECUTION) WHERE x.session = $session AND x.seq IS NOT NULL
  RETURN x
  UNION ALL
  MATCH (x:MESSAGE) WHERE x.session = $session AND x.n IS NOT NULL
  RETURN x
  UNION ALL
  MATCH (x:REQUEST) WHERE x.session = $session AND x.n IS NOT NULL
  RETURN x
  UNION ALL
  MATCH (x:BLOB) WHERE x.session = $session
  RETURN x
  UNION ALL
  MATCH (x:RESULT) WHERE x.session = $session AND x.step IS NOT NULL AND x.visit IS NOT NULL
  RETURN x
}
WITH x
WHERE NOT EXISTS { MATCH (:SESSION {id: $session}) }
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS removed
