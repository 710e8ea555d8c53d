// definition.cypher: workflows $ids as they stand: WORKFLOW nodes, their steps by the index on workflow, and each step's paths
// (kind, ref, target, the target's workflow, properties). A stray is a step of default that has no workflow property yet, found by
// $entries. No row means that none of the workflows exists.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (w:WORKFLOW {id: id})
RETURN 'workflow' AS kind, id AS workflow, elementId(w) AS ref, properties(w) AS properties, [] AS paths
UNION ALL
UNWIND $ids AS id
MATCH (s:STEP {workflow: id}) USING INDEX s:STEP(workflow)
RETURN 'step' AS kind, id AS workflow, elementId(s) AS ref, properties(s) AS properties,
       [(s)-[p:NEXT|TOOL|CONTAINS]->(t:STEP) | [type(p), elementId(p), t.id, t.workflow, properties(p)]] AS paths
UNION ALL
UNWIND $entries AS entry
MATCH (s:STEP {id: entry}) USING INDEX s:STEP(id) WHERE s.workflow IS NULL
RETURN 'stray' AS kind, 'default' AS workflow, elementId(s) AS ref, properties(s) AS properties, [] AS paths
