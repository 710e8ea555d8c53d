// Replace a step's input
// Puts a whole new input in the place of the old one. It is the JSON text of an object; Neo4j does not look into it, so run
// `stepgraph validate` afterwards. No row: there is no such step.
// :param workflow => 'conversation';
// :param step => 'ask';
// :param input => '{"prompt": "What is on your mind?"}';
MATCH (s:STEP {workflow: $workflow, id: $step})
WITH s, s.input AS old
SET s.input = $input
RETURN s.id AS step, old, s.input AS new
