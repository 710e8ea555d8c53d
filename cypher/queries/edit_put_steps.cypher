// edit_put_steps.cypher: makes steps or replaces all their properties. One row for each; the lock of the workflow is held.
UNWIND $rows AS r
MERGE (s:STEP {workflow: $workflow, id: r.id})
SET s = r.properties
RETURN s.id AS id
