// definition.cypher: workflows $ids as they stand: WORKFLOW nodes, their steps by the index on workflow, and each step's paths
// (kind, ref, target, the target's workflow, properties). A stray is a step of default that has no workflow property yet, found by
// $entries. No row means that none of the workflows exists.
UNWIND $ids AS id
MATCH (w:WORKFLOW {id: id})
RETURN 'workflow' AS kind, id AS workflow, elementId(w) AS ref, properties(w) AS properties, [] AS paths
UNION ALL
UNWIND $ids AS id
MATCH (s:STEP {workflow: id})
RETURN 'step' AS kind, id AS workflow, elementId(s) AS ref, properties(s) AS properties,
       [(s)-[p:NEXT|TOOL|CONTAINS]->(t:STEP) | [type(p), elementId(p), t.id, t.workflow, properties(p)]] AS paths
UNION ALL
UNWIND $entries AS entry
MATCH (s:STEP {id: entry}) WHERE s.workflow IS NULL
RETURN 'stray' AS kind, 'default' AS workflow, elementId(s) AS ref, properties(s) AS properties, [] AS paths
