-- Leases the batch that has been due longest and that nobody holds. No row means none.
-- ?1 token, ?2 owner, ?3 now, ?4 end of the lease.
UPDATE batch SET lease = ?1, lease_owner = ?2, lease_until = ?4, due_at = ?4, updated_at = ?3
WHERE rowid = (SELECT rowid FROM batch WHERE due_at <= ?3 AND (lease = '' OR ifnull(lease_until, 0) <= ?3)
  ORDER BY due_at LIMIT 1)
RETURNING id, action, phase, total, done, failed, forgiven, reached, message, key, body_hash, by, created_at, updated_at,
  lease, lease_owner, lease_until, due_at, options;
