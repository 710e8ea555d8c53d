// edit_put.cypher: replaces the properties of a WORKFLOW node. No row: it is not there.
MATCH (w:WORKFLOW {id: $workflow})
SET w = $properties
RETURN w.id AS id
