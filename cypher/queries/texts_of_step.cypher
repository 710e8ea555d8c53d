// texts_of_step.cypher: what one step has been, oldest first. No row: it has never run.
MATCH (d:DEFINITION {workflow: $workflow, step: $step})
RETURN d {.hash, .workflow, .step, .text, .first_seen} AS definition
ORDER BY d.first_seen, d.hash
