-- The newest executions of many sessions, each below a number, with what Traffic counts and no more.
-- ?1 a JSON list of [session, below], ?2 limit of each. No row means that there are none.
SELECT e.session, e.seq, e.step, e.status, e.started_at, e.finished_at, e.usage, e.paths
FROM json_each(?1) AS wanted CROSS JOIN execution AS e
  ON e.session = wanted.value ->> 0 AND e.seq < wanted.value ->> 1
  AND e.seq > coalesce((SELECT seq FROM execution WHERE session = wanted.value ->> 0 AND seq < wanted.value ->> 1
    ORDER BY seq DESC LIMIT 1 OFFSET ?2), -1);
