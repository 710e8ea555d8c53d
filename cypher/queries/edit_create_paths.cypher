// edit_create_paths.cypher: makes paths. A missing row: source or target is not there. Of several steps of one id it takes one.
// may multiply: one step by one, each found by its handle.
UNWIND range(0, size($rows) - 1) AS i
WITH i, $rows[i] AS r
MATCH (a:STEP {workflow: $workflow, id: r.source})
WITH i, r, min(elementId(a)) AS source
MATCH (b:STEP {workflow: r.target_workflow, id: r.target})
WITH i, r, source, min(elementId(b)) AS target
MATCH (a:STEP) WHERE elementId(a) = source
MATCH (b:STEP) WHERE elementId(b) = target
FOREACH (x IN CASE r.kind WHEN 'NEXT' THEN [1] ELSE [] END | CREATE (a)-[p:NEXT]->(b) SET p = r.properties)
FOREACH (x IN CASE r.kind WHEN 'TOOL' THEN [1] ELSE [] END | CREATE (a)-[p:TOOL]->(b) SET p = r.properties)
FOREACH (x IN CASE r.kind WHEN 'CONTAINS' THEN [1] ELSE [] END | CREATE (a)-[p:CONTAINS]->(b) SET p = r.properties)
RETURN i
