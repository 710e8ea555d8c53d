// count_of_root.cypher: how many of the sessions below a topmost session fit, by workflow and status, by the index on root and created_at.
// No row: none.
MATCH (s:SESSION)
USING INDEX s:SESSION(root, created_at)
WHERE s.root = $root AND s.created_at >= datetime({epochMillis: 0})
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
RETURN s.workflow AS workflow, s.status AS status, count(*) AS sessions
