// What a step has been
// Each text of a step that an engine has ever read, oldest first: properties and outgoing paths as JSON. To go back, put the old
// input and conditions in again with the edits. No row: no engine has read it yet.
// :param workflow => 'conversation';
// :param step => 'ask';
MATCH (d:DEFINITION {workflow: $workflow, step: $step})
RETURN d.first_seen AS first_seen, d.hash AS hash, d.text AS text
ORDER BY first_seen
