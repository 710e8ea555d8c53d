// count_questions_workflow.cypher: at how many open questions sessions of a workflow that fit wait, by step, by the index on workflow and
// awaiting_since. The hint keeps the planner from
// the index on awaiting_since alone, which walks past what waits in other workflows. No row: nothing waits.
MATCH (s:SESSION)
USING INDEX s:SESSION(workflow, awaiting_since)
WHERE s.workflow = $workflow AND s.awaiting_since >= datetime({epochMillis: 0})
  AND ($ids IS NULL OR s.id IN $ids)
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
UNWIND s.awaiting_steps AS step
RETURN s.workflow AS workflow, step, count(*) AS questions
