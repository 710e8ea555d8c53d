// steps_adopt.cypher: gives steps without workflow, the named ones and all such that paths lead to from there, to default.
// Returns how many. The search is one that prunes, since only distinct ends are asked for: it ends on a graph with loops, too.
UNWIND $steps AS ref
MATCH (r:STEP) WHERE elementId(r) = ref
MATCH (r)-[:NEXT|CONTAINS|TOOL*0..]->(s:STEP)
WITH DISTINCT s WHERE s.workflow IS NULL
SET s.workflow = 'default'
RETURN count(s) AS adopted
