// sessions_waiting_of_root.cypher: a page of the sessions below a topmost session that have an open question, the one that waits longest
// first, by the index on root and created_at: it reads all sessions of the root. No row: nothing (more) fits.
MATCH (s:SESSION)
USING INDEX s:SESSION(root, created_at)
WHERE s.root = $root AND s.created_at >= datetime({epochMillis: 0})
  AND s.awaiting_since IS NOT NULL
  AND ($after_at IS NULL OR s.awaiting_since > $after_at OR (s.awaiting_since = $after_at AND s.id > $after_id))
  AND ($workflow IS NULL OR s.workflow = $workflow)
  AND ($workflows IS NULL OR s.workflow IN $workflows OR any(prefix IN $prefixes WHERE s.workflow STARTS WITH prefix))
  AND ($statuses IS NULL OR coalesce(s.status, '') IN $statuses)
  AND ($step IS NULL OR $step IN s.awaiting_steps)
  AND ($created_before IS NULL OR s.created_at < $created_before)
  AND ($created_after IS NULL OR s.created_at > $created_after)
  AND ($waiting_before IS NULL OR s.awaiting_since < $waiting_before)
  AND all(label IN $labels WHERE label IN s.labels)
  AND ($text IS NULL OR s.state CONTAINS $text)
WITH s ORDER BY s.awaiting_since, s.id LIMIT $limit
RETURN CASE WHEN $bare THEN s {.id, .created_at, .awaiting_since} ELSE s {.*, state: CASE WHEN $with_state THEN s.state END} END AS session
