// Add a path
// Leads from one step to another, always ($condition null) or on a condition. Sessions that have finished $from take it only when
// told to: `session advance SESSION --step FROM`. old is how many NEXT paths led there before. No row: one of the steps is not there.
// may multiply: two steps, each found by the index.
// :param workflow => 'conversation';
// :param from => 'farewell';
// :param to => 'ask';
// :param condition => null;
MATCH (a:STEP {workflow: $workflow, id: $from})
MATCH (b:STEP {workflow: $workflow, id: $to})
WITH a, b, COUNT { (a)-[:NEXT]->(b) } AS old
CREATE (a)-[p:NEXT]->(b)
SET p.condition = $condition
RETURN old, a.id + ' -> ' + b.id AS new, p.condition AS condition
