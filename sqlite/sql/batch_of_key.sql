-- The batch made with a key, else the one of an id. ?1 key, ?2 id. No row means neither.
SELECT id, action, phase, total, done, failed, forgiven, reached, message, key, body_hash, by, created_at, updated_at,
  lease, lease_owner, lease_until, due_at, options
FROM batch WHERE key = ?1 OR id = ?2 ORDER BY ifnull(key = ?1, 0) DESC LIMIT 1;
