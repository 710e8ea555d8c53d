// count_questions_of_root.cypher: at how many open questions those of the sessions below a topmost session that fit wait, by workflow and
// step, by the index on root and created_at. No row: nothing waits.
MATCH (s:SESSION)
USING INDEX s:SESSION(root, created_at)
WHERE s.root = $root AND s.created_at >= datetime({epochMillis: 0})
  AND s.awaiting_since IS NOT NULL
  AND ($workflow IS NULL OR s.workflow = $workflow)
  AND ($workflows IS NULL OR s.workflow IN $workflows OR any(prefix IN $prefixes WHERE s.workflow STARTS WITH prefix))
  AND ($statuses IS NULL OR coalesce(s.status, '') IN $statuses)
  AND ($step IS NULL OR $step IN s.awaiting_steps)
  AND ($created_before IS NULL OR s.created_at < $created_before)
  AND ($created_after IS NULL OR s.created_at > $created_after)
  AND ($waiting_before IS NULL OR s.awaiting_since < $waiting_before)
  AND all(label IN $labels WHERE label IN s.labels)
  AND ($text IS NULL OR s.state CONTAINS $text)
UNWIND s.awaiting_steps AS step
RETURN s.workflow AS workflow, step, count(*) AS questions
