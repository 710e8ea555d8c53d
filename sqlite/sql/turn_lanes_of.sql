-- Lanes of a workflow, or of all when ?1 is empty, those of which most wait first, with what waits and runs. ?2 now, ?3 limit.
SELECT workflow, key, waiting, running, oldest FROM (
  SELECT l.workflow, l.key,
    (SELECT count(*) FROM turn WHERE turn.lane = l.id AND waiting = 1) AS waiting,
    (SELECT count(*) FROM turn JOIN session ON session.id = turn.session WHERE turn.lane = l.id AND waiting = 0 AND (session.lease <> '' OR session.due_at <= ?2)) AS running,
    (SELECT min(since) FROM turn WHERE turn.lane = l.id AND waiting = 1) AS oldest
  FROM lane AS l WHERE ?1 = '' OR l.workflow = ?1)
WHERE waiting > 0 OR running > 0 ORDER BY waiting DESC, workflow, key LIMIT ?3;
