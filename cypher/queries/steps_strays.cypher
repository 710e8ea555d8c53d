// steps_strays.cypher: steps of a workflow from which a path leads to a step without one. No row: there is none.
// may scan: an index cannot find what is missing; asked by load, list, validate and doctor only.
MATCH (s:STEP) WHERE s.workflow IS NULL
MATCH (r:STEP)-[:NEXT|CONTAINS|TOOL]->(s) WHERE r.workflow IS NOT NULL
RETURN DISTINCT elementId(r) AS ref, r.workflow AS workflow
