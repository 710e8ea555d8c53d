-- A page of a session's messages, the oldest of those between two numbers first.
-- ?1 session, ?2 above, ?3 below, ?4 limit. No row means that there are none.
SELECT n, role, step, at, content
FROM message WHERE session = ?1 AND n > ?2 AND n < ?3
ORDER BY n ASC LIMIT ?4;
