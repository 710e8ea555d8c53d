// edit_lock.cypher: lets one edit of a workflow at a time go on; made says that there was no WORKFLOW node. Always one row.
OPTIONAL MATCH (old:WORKFLOW {id: $workflow})
WITH old IS NULL AS made
MERGE (w:WORKFLOW {id: $workflow})
SET w.id = $workflow
RETURN made
