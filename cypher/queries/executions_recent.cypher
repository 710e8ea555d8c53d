// executions_recent.cypher: the newest executions of many sessions, each below a number and at most $limit, in no order, with what
// Traffic counts and no more, by the index on session and seq. No row: there are none.
UNWIND $rows AS r
CALL (r) {
  MATCH (x:EXECUTION) USING INDEX x:EXECUTION(session, seq) WHERE x.session = r.session AND x.seq < r.before
  RETURN x ORDER BY x.session DESC, x.seq DESC LIMIT $limit
}
RETURN x.session AS session, x.seq AS seq, x.id AS id, x.step AS step, x.status AS status, x.started_at AS started_at, x.finished_at AS finished_at,
       x.usage AS usage, x.paths AS paths
