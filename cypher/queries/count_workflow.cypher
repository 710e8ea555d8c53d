// count_workflow.cypher: how many sessions a workflow has, by status, from the index alone. No row: none.
MATCH (s:SESSION)
WHERE s.workflow = $workflow AND s.status IS NOT NULL
RETURN s.workflow AS workflow, s.status AS status, count(*) AS sessions
