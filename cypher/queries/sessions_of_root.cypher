// sessions_of_root.cypher: a page of the sessions below a topmost session, which is one of them, newest first, in the order of the index on
// root and created_at. No row: nothing (more) fits.
MATCH (s:SESSION)
WHERE s.root = $root AND s.created_at <= coalesce($after_at, datetime({year: 9999}))
  AND s.created_at >= coalesce($created_after, datetime({epochMillis: 0}))
  AND ($after_at IS NULL OR s.created_at < $after_at OR (s.created_at = $after_at AND s.id < $after_id))
  AND ($workflow IS NULL OR s.workflow = $workflow)
  AND ($workflows IS NULL OR s.workflow IN $workflows OR any(prefix IN $prefixes WHERE s.workflow STARTS WITH prefix))
  AND ($statuses IS NULL OR coalesce(s.status, '') IN $statuses)
  AND (NOT $awaiting OR s.awaiting_since IS NOT NULL)
  AND ($step IS NULL OR $step IN s.awaiting_steps)
  AND ($created_before IS NULL OR s.created_at < $created_before)
  AND ($created_after IS NULL OR s.created_at > $created_after)
  AND ($waiting_before IS NULL OR s.awaiting_since < $waiting_before)
  AND all(label IN $labels WHERE label IN s.labels)
  AND ($text IS NULL OR s.state CONTAINS $text)
WITH s ORDER BY s.root DESC, s.created_at DESC, s.id DESC LIMIT $limit
RETURN CASE WHEN $bare THEN s {.id, .created_at, .awaiting_since} ELSE s {.*, state: CASE WHEN $with_state THEN s.state END} END AS session
