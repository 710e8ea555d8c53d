// Steps nobody reaches
// Steps of a workflow that no path leads to from its entry points ($entries: root, and those that sessions are started at). No row:
// all are reached.
// :param workflow => 'conversation';
// :param entries => ['root'];
OPTIONAL MATCH (r:STEP)-[:NEXT|TOOL|CONTAINS*0..]->(t:STEP)
WHERE r.workflow = $workflow AND r.id IN $entries
WITH DISTINCT t
WITH collect(t) AS reached
MATCH (s:STEP {workflow: $workflow})
WHERE NOT s IN reached
RETURN s.id AS step, s.function AS function, COUNT { (s)<-[:NEXT|TOOL|CONTAINS]-() } AS paths_in
ORDER BY step
