// workflows_limited.cypher: WORKFLOW nodes whose settings or own properties name a limit, and the workflows that have a lane. No row: none.
// may scan: there are as many WORKFLOW nodes as workflows, and a lane goes a minute after its last turn.
MATCH (w:WORKFLOW)
WHERE w.id IS NOT NULL AND (w.max_sessions_at_once IS NOT NULL OR w.rate IS NOT NULL OR w.priority IS NOT NULL OR w.concurrency_key IS NOT NULL
   OR any(name IN $names WHERE toString(w.settings) CONTAINS name))
RETURN w.id AS id, properties(w) AS properties
UNION ALL
MATCH (l:LANE)
RETURN DISTINCT l.workflow AS id, null AS properties
