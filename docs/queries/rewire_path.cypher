// Rewire a path
// Takes the NEXT paths between two steps to another step, in one transaction; they keep condition, priority and label. No row: no
// such path, or no such step to lead to: nothing was changed.
// may multiply: two steps, each found by the index.
// :param workflow => 'conversation';
// :param from => 'answer';
// :param to => 'farewell';
// :param becomes => 'reply';
MATCH (c:STEP {workflow: $workflow, id: $becomes})
MATCH (a:STEP {workflow: $workflow, id: $from})-[old:NEXT]->(b:STEP {workflow: $workflow, id: $to})
WITH a, b, c, old, properties(old) AS kept
DELETE old
CREATE (a)-[new:NEXT]->(c)
SET new = kept
RETURN a.id + ' -> ' + b.id AS old, a.id + ' -> ' + c.id AS new, kept AS properties
