// Failures by step
// Attempts that failed since $since, by step and kind of error, with the newest example. Reads the failures of the workflow, and no
// more. No row: none failed.
// :param workflow => 'conversation';
// :param since => datetime() - duration('P7D');
MATCH (s:STEP {workflow: $workflow})
WITH DISTINCT s.id AS step
UNWIND ['error', 'lost'] AS status
MATCH (e:EXECUTION {workflow: $workflow, step: step, status: status})
WHERE e.finished_at >= $since
WITH e ORDER BY e.finished_at
WITH e.step AS step, e.status AS status, split(split(e.error, '"kind":"')[1], '"')[0] AS kind, collect(e) AS failed
RETURN step, status, kind, size(failed) AS failures, last(failed).finished_at AS last, last(failed).error AS newest, last(failed).session AS session
ORDER BY failures DESC, step, kind
