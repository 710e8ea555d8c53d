-- Batches, newest first, after a row. ?1 its created_at and ?2 its id, ?3 limit.
SELECT id, action, phase, total, done, failed, forgiven, reached, message, key, body_hash, by, created_at, updated_at,
  lease, lease_owner, lease_until, due_at, options
FROM batch WHERE (created_at, id) < (?1, ?2) ORDER BY created_at DESC, id DESC LIMIT ?3;
