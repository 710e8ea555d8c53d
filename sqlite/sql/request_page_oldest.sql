-- A page of a session's requests, the oldest of those between two numbers first.
-- ?1 session, ?2 above, ?3 below, ?4 limit. No row means that there are none.
SELECT session, n, key, target, kind, step, visit, ask, body, body_hash, by, at, applied, outcome
FROM request WHERE session = ?1 AND n > ?2 AND n < ?3
ORDER BY n ASC LIMIT ?4;
