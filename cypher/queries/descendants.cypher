// descendants.cypher: a page of the sessions below $id, at any depth, found by the index on id: with $awaiting those with an open
// question, the one that waits longest first, else by id. No row: nothing (more) fits.
MATCH (s:SESSION)
WHERE s.id STARTS WITH $id + '/'
  AND (NOT $awaiting OR s.awaiting_since IS NOT NULL)
  AND ($step IS NULL OR $step IN s.awaiting_steps)
  AND (NOT $moving OR s.lease IS NOT NULL OR (s.status = 'active' AND s.due_at IS NOT NULL) OR s.due_at <= datetime.realtime())
WITH s, CASE WHEN $awaiting THEN s.awaiting_since END AS since
WHERE $after_id IS NULL OR (NOT $awaiting AND s.id > $after_id)
  OR ($awaiting AND (since > $after_at OR (since = $after_at AND s.id > $after_id)))
WITH s, since ORDER BY since, s.id LIMIT $limit
RETURN s {.*, state: CASE WHEN $with_state THEN s.state END} AS session
