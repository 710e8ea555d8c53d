// Sessions by status
// How many sessions each workflow has in each status, from the index alone. Sessions that no engine has seen yet have no status.
MATCH (s:SESSION)
WHERE s.workflow IS NOT NULL AND s.status IS NOT NULL
RETURN s.workflow AS workflow, s.status AS status, count(*) AS sessions
ORDER BY workflow, status
