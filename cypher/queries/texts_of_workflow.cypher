// texts_of_workflow.cypher: what each step of a workflow has been, oldest first. No row: none has ever run.
MATCH (d:DEFINITION) WHERE d.workflow = $workflow AND d.step IS NOT NULL
RETURN d {.hash, .workflow, .step, .text, .first_seen} AS definition
ORDER BY d.first_seen, d.hash
