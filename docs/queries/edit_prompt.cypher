// Edit a prompt
// Changes words inside a step's input. $was must stand there exactly once, as it is written in the JSON text (a line break is \\n in
// this :param line). Sessions use the new text from their next visit on; a question that is open already stays as it was shown until
// `session reask`. No row: no such step, or $was is not in its input, or more than once: nothing was changed.
// :param workflow => 'conversation';
// :param step => 'ask';
// :param was => 'What would you like to talk about?';
// :param becomes => 'What is on your mind?';
MATCH (s:STEP {workflow: $workflow, id: $step})
WHERE $was <> '' AND size(split(s.input, $was)) = 2
WITH s, s.input AS old
SET s.input = replace(old, $was, $becomes)
RETURN s.id AS step, old, s.input AS new
