// The chat of a session
// What was said, in order. No row: nothing yet.
// :param session => '0199…';
// :param limit => 200;
MATCH (m:MESSAGE)
WHERE m.session = $session AND m.n > 0
RETURN m.n AS n, m.at AS at, m.role AS role, m.content AS content, m.step AS step
ORDER BY n LIMIT $limit
