// Sessions of a workflow in one status
// The newest of them. There is no relation between SESSION and WORKFLOW (it would be a supernode): this is the join by property.
// :param workflow => 'conversation';
// :param status => 'error';
// :param limit => 20;
MATCH (s:SESSION {workflow: $workflow, status: $status})
RETURN s.id AS session, s.created_at AS created_at, s.updated_at AS updated_at, s.awaiting_steps AS waits_at, s.labels AS labels
ORDER BY created_at DESC LIMIT $limit
