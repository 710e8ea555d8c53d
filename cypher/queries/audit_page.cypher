// audit_page.cypher: a page of the audit trail, newest first, read in the order of the index on at. No row: nothing (more) fits.
MATCH (a:AUDIT)
WHERE a.at <= coalesce($after_at, datetime({year: 9999}))
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
