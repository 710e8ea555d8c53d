// Most travelled paths
// How often each path of a workflow led from a visit to a visit since $since, and when it last did. Reads the workflow's history.
// No row: nothing ran, or the workflow keeps no history.
// :param workflow => 'conversation';
// :param since => datetime() - duration('P30D');
// :param limit => 50;
MATCH (a:EXECUTION)
USING INDEX a:EXECUTION(workflow, step, status)
WHERE a.workflow = $workflow AND a.step IS NOT NULL AND a.status IS NOT NULL AND a.finished_at >= $since
MATCH (a)-[t:TOOK]->(b:EXECUTION)
RETURN a.step AS `from`, b.step AS `to`, t.path AS path, count(*) AS times, max(b.finished_at) AS last
ORDER BY times DESC, `from`, `to` LIMIT $limit
