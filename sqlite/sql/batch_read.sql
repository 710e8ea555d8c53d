-- One batch. ?1 id. No row means that it is not there.
SELECT id, action, phase, total, done, failed, forgiven, reached, message, key, body_hash, by, created_at, updated_at,
  lease, lease_owner, lease_until, due_at, options
FROM batch WHERE id = ?1;
