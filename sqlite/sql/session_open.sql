-- One session as it is now, unless its removal has begun. ?1 id.
-- No row means there is no such session.
SELECT id, workflow, status, version, created_at, updated_at, awaiting, awaiting_since, root, labels, inbox,
  lease, lease_owner, lease_until, due_at, transition, claims, counters, state
FROM session WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM removal WHERE removal.session = ?1);
