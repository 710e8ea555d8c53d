// count_of_ids.cypher: how many of the sessions of $ids fit, by workflow and status. No row: none.
UNWIND $ids AS id
MATCH (s:SESSION {id: id})
WHERE true
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
RETURN s.workflow AS workflow, s.status AS status, count(*) AS sessions
