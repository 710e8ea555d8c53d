-- A page of sessions, oldest first, without state. ?1 created_at and ?2 id of the last one before, ?3 limit.
SELECT id, workflow, status, version, created_at, updated_at, awaiting, awaiting_since, root, labels, inbox,
  lease, lease_owner, lease_until, due_at, transition, claims, NULL, NULL
FROM session WHERE (created_at, id) > (?1, ?2) ORDER BY created_at, id LIMIT ?3;
