// count_questions_of_ids.cypher: at how many open questions those of the sessions of $ids that fit wait, by workflow and step. No row:
// nothing waits.
UNWIND $ids AS id
MATCH (s:SESSION {id: id})
WHERE s.awaiting_since IS NOT NULL
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
WITH DISTINCT s
UNWIND s.awaiting_steps AS step
RETURN s.workflow AS workflow, step, count(*) AS questions
