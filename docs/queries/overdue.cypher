// What should run and does not
// Sessions that have been due for more than a minute: no engine is at work, or all are full. No row: all is well.
// :param limit => 50;
MATCH (s:SESSION)
WHERE s.due_at < datetime() - duration('PT1M')
WITH s ORDER BY s.due_at LIMIT $limit
RETURN s.due_at AS due_at, s.workflow AS workflow, s.id AS session, s.status AS status, s.lease_owner AS last_held_by, s.claims AS claims
ORDER BY due_at
