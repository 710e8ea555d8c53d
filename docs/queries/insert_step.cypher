// Insert a step between two
// Makes a step and puts it on the NEXT paths between two steps, in one transaction. The paths keep their conditions and now lead to
// the new step; one open path leads on from it. A path that closes a loop still does. No row: there is no such path, or a step of
// that id exists already: nothing was changed.
// may multiply: the two steps, each found by the index.
// :param workflow => 'conversation';
// :param from => 'ask';
// :param to => 'answer';
// :param step => 'thanks';
// :param function => 'utils.reply.reply';
// :param input => '{"message": "Thank you."}';
MATCH (a:STEP {workflow: $workflow, id: $from})-[old:NEXT]->(b:STEP {workflow: $workflow, id: $to})
WHERE NOT EXISTS { MATCH (:STEP {workflow: $workflow, id: $step}) }
WITH a, b, collect(old) AS paths, collect(properties(old)) AS were
CREATE (n:STEP {workflow: $workflow, id: $step, function: $function, input: $input})-[on:NEXT]->(b)
SET on.back = CASE WHEN any(p IN were WHERE p.back) THEN true END
FOREACH (p IN paths |
  CREATE (a)-[q:NEXT]->(n)
  SET q = properties(p), q.back = null
  DELETE p)
RETURN a.id + ' -> ' + b.id AS old, were AS conditions, a.id + ' -> ' + n.id + ' -> ' + b.id AS new, n.input AS input
