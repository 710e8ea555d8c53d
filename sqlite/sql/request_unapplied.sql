-- What is in the inbox and not applied yet, in order. ?1 session. No row: nothing.
SELECT session, n, key, target, kind, step, visit, ask, body, body_hash, by, at, applied, outcome
FROM request WHERE session = ?1 AND applied = 0
ORDER BY n;
