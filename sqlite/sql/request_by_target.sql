-- ?1 target. No row means that the question has no answer yet.
SELECT session, n, key, target, kind, step, visit, ask, body, body_hash, by, at, applied, outcome
FROM request WHERE target = ?1;
