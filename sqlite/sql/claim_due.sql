-- Leases a session that is due. No row means that somebody else was faster.
-- From the third claim in a row on, due_at lies 1, 2, 4 … s (at most 64) behind the end
-- of the lease, so that a session that kills its workers does so ever more rarely.
-- ?1 id, ?2 token, ?3 owner, ?4 now, ?5 end of the lease.
UPDATE session SET lease = ?2, lease_owner = ?3, lease_until = ?5, claims = claims + 1,
  due_at = ?5 + CASE WHEN claims >= 2 THEN 1000000 << min(claims - 2, 6) ELSE 0 END
WHERE id = ?1 AND due_at <= ?4 AND NOT EXISTS (SELECT 1 FROM removal WHERE removal.session = ?1) AND (lease = '' OR ifnull(lease_until, 0) <= ?4)
RETURNING id, workflow, status, version, created_at, updated_at, awaiting, awaiting_since, root, labels, inbox,
  lease, lease_owner, lease_until, due_at, transition, claims, counters, state;
