// sessions_waiting.cypher: a page of sessions with an open question, the one that waits longest first, in the order of the index on
// awaiting_since, which only they have. No row: nothing (more) fits.
MATCH (s:SESSION)
WHERE s.awaiting_since >= coalesce($after_at, datetime({epochMillis: 0})) AND s.awaiting_since < coalesce($waiting_before, datetime({year: 9999}))
  AND ($after_at IS NULL OR s.awaiting_since > $after_at OR (s.awaiting_since = $after_at AND s.id > $after_id))
  AND ($ids IS NULL OR s.id IN $ids)
  AND ($workflow IS NULL OR s.workflow = $workflow)
  AND ($workflows IS NULL OR s.workflow IN $workflows OR any(prefix IN $prefixes WHERE s.workflow STARTS WITH prefix))
  AND ($statuses IS NULL OR coalesce(s.status, '') IN $statuses)
  AND (NOT $awaiting OR s.awaiting_since IS NOT NULL)
  AND ($step IS NULL OR $step IN s.awaiting_steps)
  AND ($root IS NULL OR s.root = $root)
  AND ($created_before IS NULL OR s.created_at < $created_before)
  AND ($created_after IS NULL OR s.created_at > $created_after)
  AND all(label IN $labels WHERE label IN s.labels)
  AND ($text IS NULL OR s.state CONTAINS $text)
WITH s ORDER BY s.awaiting_since, s.id LIMIT $limit
RETURN CASE WHEN $bare THEN s {.id, .created_at, .awaiting_since} ELSE s {.*, state: CASE WHEN $with_state THEN s.state END} END AS session
