// Show a workflow
// The steps of one workflow and all paths between them, as a picture (Graph). No row: there is no such workflow.
// :param workflow => 'conversation';
MATCH (s:STEP {workflow: $workflow})
OPTIONAL MATCH (s)-[p:NEXT|TOOL|CONTAINS]->(t:STEP)
RETURN s, p, t
