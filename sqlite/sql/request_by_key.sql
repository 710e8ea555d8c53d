-- ?1 session, ?2 key. No row means that the key is new.
SELECT session, n, key, target, kind, step, visit, ask, body, body_hash, by, at, applied, outcome
FROM request WHERE session = ?1 AND key = ?2;
