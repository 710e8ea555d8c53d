// count_all.cypher: how many sessions there are, by workflow and status, from the index alone. No row: none.
MATCH (s:SESSION)
WHERE s.workflow IS NOT NULL AND s.status IS NOT NULL
RETURN s.workflow AS workflow, s.status AS status, count(*) AS sessions
