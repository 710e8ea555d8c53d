// List workflows
// Every workflow with its number of steps, paths and open sessions. A workflow is there when it has a WORKFLOW node or a STEP.
// Steps that nobody has adopted yet (no property workflow) are not here: run `stepgraph list` once. Reads every STEP by the index.
CALL () {
  MATCH (w:WORKFLOW) WHERE w.id IS NOT NULL
  RETURN w.id AS workflow
  UNION
  MATCH (s:STEP) WHERE s.workflow IS NOT NULL
  RETURN s.workflow AS workflow
}
OPTIONAL MATCH (w:WORKFLOW {id: workflow})
RETURN workflow, w.name AS name, w.description AS description,
       COUNT { MATCH (s:STEP) WHERE s.workflow = workflow } AS steps,
       COUNT { MATCH (s:STEP)-[:NEXT|TOOL|CONTAINS]->(:STEP) WHERE s.workflow = workflow } AS paths,
       COUNT { MATCH (x:SESSION) WHERE x.workflow = workflow AND x.status IN ['active', 'awaiting_input', 'pending', 'paused', 'error'] } AS open_sessions
ORDER BY workflow
