// ids_at_step_of_workflow.cypher: as ids_at_step.cypher, of one workflow.
MATCH (s:SESSION)
WHERE s.awaiting_step IN [$step, ''] AND s.workflow = $workflow
WITH s LIMIT $limit
WITH collect(s) AS found
UNWIND CASE WHEN size(found) < $limit THEN found ELSE [null] END AS s
RETURN s.id AS id
