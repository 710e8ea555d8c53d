// Show a step
// One step: all its properties, the paths that lead to it, those that lead on. No row: there is no such step; two: a duplicate.
// :param workflow => 'conversation';
// :param step => 'ask';
MATCH (s:STEP {workflow: $workflow, id: $step})
RETURN s.function AS function, s.input AS input, properties(s) AS properties,
       COLLECT { MATCH (f:STEP)-[p:NEXT|TOOL|CONTAINS]->(s) RETURN f.id + ' ' + type(p) + coalesce(' ' + p.label, '') ORDER BY f.id } AS comes_from,
       COLLECT { MATCH (s)-[p:NEXT|TOOL|CONTAINS]->(t:STEP) RETURN {to: t.id, kind: type(p), properties: properties(p)} ORDER BY p.priority, t.id } AS leads_to
