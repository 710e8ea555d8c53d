// workflow_ids.cypher: all workflows, by a node of their own or by a step; a workflow may have two rows. No row: there is none.
// may scan: it lists them all.
MATCH (w:WORKFLOW) WHERE w.id IS NOT NULL
RETURN w.id AS id, w.name AS name, w.description AS description, 0 AS steps
UNION ALL
MATCH (s:STEP) WHERE s.workflow IS NOT NULL
RETURN s.workflow AS id, null AS name, null AS description, count(*) AS steps
