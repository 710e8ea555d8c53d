// audit_of_session.cypher: the same for one session, found by the index on session. No row: nothing (more) fits.
MATCH (a:AUDIT {session: $session})
WHERE true
  AND ($after_at IS NULL OR a.at < $after_at OR (a.at = $after_at AND a.id < $after_id))
  AND ($session IS NULL OR a.session = $session)
  AND ($workflow IS NULL OR a.workflow = $workflow)
  AND ($who IS NULL OR a.who = $who)
  AND ($action IS NULL OR a.action = $action)
  AND (NOT $refused OR a.refused)
  AND ($since IS NULL OR a.at >= $since)
  AND ($until IS NULL OR a.at < $until)
WITH a ORDER BY a.at DESC, a.id DESC LIMIT $limit
RETURN a {.*} AS entry
