// Time by step
// How long attempts took in milliseconds since $since, by step and status; of `answered` it is how long people took. Reads the
// workflow's history. No row: nothing ran, or the workflow keeps no history.
// :param workflow => 'conversation';
// :param since => datetime() - duration('P7D');
MATCH (e:EXECUTION)
WHERE e.workflow = $workflow AND e.step IS NOT NULL AND e.status IS NOT NULL AND e.finished_at >= $since
WITH e.step AS step, e.status AS status, duration.inSeconds(e.started_at, e.finished_at).milliseconds AS ms
RETURN step, status, count(*) AS attempts, round(avg(ms)) AS average, percentileDisc(ms, 0.5) AS median,
       percentileDisc(ms, 0.95) AS p95, max(ms) AS longest
ORDER BY average DESC, step
