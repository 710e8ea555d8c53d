-- The newest answer given to a step, applied or not. ?1 session, ?2 step. No row: none yet.
SELECT session, n, key, target, kind, step, visit, ask, body, body_hash, by, at, applied, outcome
FROM request WHERE session = ?1 AND kind = 'answer' AND step = ?2
ORDER BY n DESC LIMIT 1;
