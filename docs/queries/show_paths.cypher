// Show the paths of a workflow
// Where each path leads and when, as a table, in the order in which paths are judged. No row: no paths.
// :param workflow => 'conversation';
MATCH (s:STEP {workflow: $workflow})-[p:NEXT|TOOL|CONTAINS]->(t:STEP)
RETURN s.id AS `from`, type(p) AS kind, t.id AS `to`, p.priority AS priority, coalesce(p.condition, p.conditions) AS condition,
       p.operator AS operator, p.label AS label, coalesce(p.back, false) AS back, p.id AS id,
       CASE WHEN coalesce(t.workflow, 'default') <> s.workflow THEN t.workflow END AS into_other_workflow
ORDER BY `from`, kind, priority, `to`
