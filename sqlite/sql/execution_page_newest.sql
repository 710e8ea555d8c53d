-- A page of a session's executions, the newest of those between two numbers first.
-- ?1 session, ?2 above, ?3 below, ?4 limit, ?5 step or empty. No row means that there are none.
SELECT session, seq, workflow, step, visit, attempt, status, function, started_at, finished_at,
  definition, parent, usage, error, paths, input, output
FROM execution WHERE session = ?1 AND seq > ?2 AND seq < ?3 AND (?5 = '' OR step = ?5)
ORDER BY seq DESC LIMIT ?4;
