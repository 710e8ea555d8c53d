// Orphans
// History, messages, requests, large outputs and results of sessions that are no longer there, by session. `doctor` finds them,
// too; "Remove the orphans of a session" removes them. No row: none.
// Looks at every entry of these indexes, that is at all history: not on a large store by day.
// :param limit => 50;
CALL () {
  MATCH (x:EXECUTION) WHERE x.session IS NOT NULL AND x.seq IS NOT NULL
  RETURN DISTINCT x.session AS session
  UNION
  MATCH (x:MESSAGE) WHERE x.session IS NOT NULL AND x.n IS NOT NULL
  RETURN DISTINCT x.session AS session
  UNION
  MATCH (x:REQUEST) WHERE x.session IS NOT NULL AND x.n IS NOT NULL
  RETURN DISTINCT x.session AS session
  UNION
  MATCH (x:BLOB) WHERE x.session IS NOT NULL
  RETURN DISTINCT x.session AS session
  UNION
  MATCH (x:RESULT) WHERE x.session IS NOT NULL AND x.step IS NOT NULL AND x.visit IS NOT NULL
  RETURN DISTINCT x.session AS session
}
WITH session
WHERE NOT EXISTS { MATCH (:SESSION {id: session}) }
WITH session LIMIT $limit
RETURN session,
       COUNT { MATCH (x:EXECUTION) WHERE x.session = session AND x.seq IS NOT NULL } AS executions,
       COUNT { MATCH (x:MESSAGE) WHERE x.session = session AND x.n IS NOT NULL } AS messages,
       COUNT { MATCH (x:REQUEST) WHERE x.session = session AND x.n IS NOT NULL } AS requests,
       COUNT { MATCH (x:BLOB) WHERE x.session = session } AS blobs,
       COUNT { MATCH (x:RESULT) WHERE x.session = session AND x.step IS NOT NULL AND x.visit IS NOT NULL } AS results
ORDER BY session
