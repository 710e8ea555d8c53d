// Whom would this edit touch
// Open sessions by where they stand to a step: at it (runs, waits or failed there), before it (a NEXT path leads there from where they
// are), behind it (have passed it, and no path leads back). A join that still waits counts as before. Reads the state of every open
// session of the workflow. No row: nobody is touched, or there is no such step.
// :param workflow => 'conversation';
// :param step => 'answer';
MATCH (t:STEP {workflow: $workflow, id: $step})
OPTIONAL MATCH (b:STEP)-[:NEXT*1..]->(t)
WITH DISTINCT t, b
WITH t, collect(b.id) AS earlier
UNWIND ['active', 'awaiting_input', 'pending', 'paused', 'error'] AS status
MATCH (s:SESSION {workflow: $workflow, status: status})
WITH t, earlier, s, split(split(s.state, '"last_evaluated":')[0], '{"status":"') AS cuts
WITH t, earlier, s, [i IN range(1, size(cuts) - 1) |
  {step: last(split(left(cuts[i - 1], size(cuts[i - 1]) - 2), '"')), status: split(cuts[i], '"')[0]}] AS steps
WITH t, earlier, s, steps, [x IN steps WHERE x.status IN ['active', 'pending', 'awaiting_input', 'error'] | x.step] AS stands
WITH s, CASE
    WHEN t.id IN stands THEN 'at'
    WHEN any(x IN stands WHERE x IN earlier) THEN 'before'
    WHEN any(x IN steps WHERE x.step = t.id AND x.status = 'complete') THEN 'behind'
  END AS place
WHERE place IS NOT NULL
RETURN place, count(*) AS sessions, collect(s.id)[..20] AS some
ORDER BY place
