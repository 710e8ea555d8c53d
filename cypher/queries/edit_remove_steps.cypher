// edit_remove_steps.cypher: removes steps with all their paths. Returns how many there were.
UNWIND $steps AS id
MATCH (s:STEP {workflow: $workflow, id: id})
DETACH DELETE s
RETURN count(*) AS removed
