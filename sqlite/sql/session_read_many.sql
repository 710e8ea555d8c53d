-- The sessions of a JSON list of ids. ?1 the list.
-- No row for an id means there is no such session.
SELECT id, workflow, status, version, created_at, updated_at, awaiting, awaiting_since, root, labels, inbox,
  lease, lease_owner, lease_until, due_at, transition, claims, counters, state
FROM session WHERE id IN (SELECT value FROM json_each(?1));
