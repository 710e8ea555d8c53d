-- Workflows that have pending sessions. It steps from workflow to workflow through the
-- index, so it costs the number of workflows, not of sessions. No row means none.
WITH RECURSIVE known (id) AS (
  SELECT min(workflow) FROM session
  UNION ALL
  SELECT (SELECT min(workflow) FROM session WHERE workflow > known.id) FROM known WHERE known.id IS NOT NULL
)
SELECT id FROM known
WHERE id IS NOT NULL AND EXISTS (SELECT 1 FROM session WHERE workflow = known.id AND status = 'pending')
ORDER BY id;
