// sessions_oldest.cypher: a page of sessions, oldest first, without state, read in the order of the index on created_at.
// No row: nothing (more) is there. Sessions made by hand have no created_at until they are adopted, and are not here.
CYPHER replan=skip
MATCH (s:SESSION) USING INDEX s:SESSION(created_at)
WHERE s.created_at >= coalesce($after_at, datetime({epochSeconds: 0}))
  AND ($after_at IS NULL OR s.created_at > $after_at OR (s.created_at = $after_at AND s.id > $after_id))
WITH s ORDER BY s.created_at, s.id LIMIT $limit
RETURN s {.*, state: null, counters: null} AS session
