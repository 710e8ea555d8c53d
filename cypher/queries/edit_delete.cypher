// edit_delete.cypher: removes a workflow's node and, with $steps, its steps with their paths. Returns nothing.
CALL () {
  MATCH (w:WORKFLOW {id: $workflow})
  DETACH DELETE w
}
CALL () {
  WITH 1 AS one WHERE $steps
  MATCH (s:STEP {workflow: $workflow})
  DETACH DELETE s
}
