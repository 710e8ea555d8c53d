// Duplicates among steps
// STEPs of one workflow that share an id, and STEPs without id. Only one of each is used. Rename one, or delete it by its element:
// MATCH (s:STEP) WHERE elementId(s) = '…' DETACH DELETE s. No row: none.
// may scan: an index cannot find what is missing, and steps are few.
MATCH (s:STEP)
WITH coalesce(s.workflow, 'default') AS workflow, s.id AS step, collect(s) AS same
WHERE size(same) > 1 OR step IS NULL
UNWIND same AS s
RETURN workflow, step, elementId(s) AS element, s.function AS function, s.input AS input,
       COUNT { (s)<-[:NEXT|TOOL|CONTAINS]-() } AS paths_in, COUNT { (s)-[:NEXT|TOOL|CONTAINS]->() } AS paths_out
ORDER BY workflow, step, element
