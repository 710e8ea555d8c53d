// Change a condition
// Gives a path another condition. $was is the condition as it is now (null for none), as "Show the paths" prints it: it tells two
// paths between the same steps apart, and nothing is overwritten that somebody else has just changed. No row: no path has that
// condition now: nothing was changed.
// may multiply: the two steps, each found by the index.
// :param workflow => 'conversation';
// :param from => 'answer';
// :param to => 'farewell';
// :param was => '[{"false": "@{SESSION_ID}.answer.merits_followup"}]';
// :param becomes => '[{"false": "@{SESSION_ID}.answer.followup"}]';
MATCH (a:STEP {workflow: $workflow, id: $from})-[p:NEXT]->(b:STEP {workflow: $workflow, id: $to})
WITH a, b, p, coalesce(p.condition, p.conditions) AS old
WHERE old = $was OR (old IS NULL AND $was IS NULL)
SET p.condition = $becomes, p.conditions = null
RETURN a.id + ' -> ' + b.id AS path, old, p.condition AS new
