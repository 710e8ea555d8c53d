// sessions_of_ids.cypher: a page of the sessions of $ids that fit, newest first. No row: nothing (more) fits.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (s:SESSION {id: id})
WITH s, coalesce(s.created_at, datetime({epochMillis: 0})) AS created_at
WHERE true
  AND ($after_at IS NULL OR created_at < $after_at OR (created_at = $after_at AND s.id < $after_id))
  AND ($workflow IS NULL OR s.workflow = $workflow)
  AND ($workflows IS NULL OR s.workflow IN $workflows OR any(prefix IN $prefixes WHERE s.workflow STARTS WITH prefix))
  AND ($statuses IS NULL OR coalesce(s.status, '') IN $statuses)
  AND (NOT $awaiting OR s.awaiting_since IS NOT NULL)
  AND ($step IS NULL OR $step IN s.awaiting_steps)
  AND ($root IS NULL OR s.root = $root)
  AND ($created_before IS NULL OR s.created_at < $created_before)
  AND ($created_after IS NULL OR s.created_at > $created_after)
  AND ($waiting_before IS NULL OR s.awaiting_since < $waiting_before)
  AND all(label IN $labels WHERE label IN s.labels)
  AND ($text IS NULL OR s.state CONTAINS $text)
WITH DISTINCT s, created_at ORDER BY created_at DESC, s.id DESC LIMIT $limit
RETURN s {.*, state: CASE WHEN $with_state THEN s.state END} AS session
