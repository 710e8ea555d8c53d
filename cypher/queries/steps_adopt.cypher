// steps_adopt.cypher: files steps without workflow under the workflow of the step that a path leads to them from: from each {ref,
// workflow} of $steps on, over steps without workflow. A step that several workflows reach goes to the first by id. Returns how many
// were filed. The search is one that prunes, since only distinct ends are asked for: it ends on a graph with loops, too.
UNWIND $steps AS given
MATCH (r:STEP) WHERE elementId(r) = given.ref
MATCH (r)-[:NEXT|CONTAINS|TOOL*0..1]->(first:STEP) WHERE first.workflow IS NULL
WITH DISTINCT given.workflow AS workflow, first
MATCH path = (first)-[:NEXT|CONTAINS|TOOL*0..]->(s:STEP) WHERE all(step IN nodes(path) WHERE step.workflow IS NULL)
WITH DISTINCT workflow, s
WITH s, min(workflow) AS workflow
SET s.workflow = workflow
RETURN count(s) AS adopted
