-- Creates a session, leased to ?9 when that is not empty.
-- ?1 id, ?2 workflow, ?3 status, ?4 now, ?5 root, ?6 labels, ?7 counters, ?8 state,
-- ?9 lease, ?10 its owner, ?11 its end, ?12 due_at, ?13 claims, ?14 concurrency key.
-- No row written means that the id is taken.
INSERT INTO session (id, workflow, status, created_at, updated_at, root, labels, counters, state,
  lease, lease_owner, lease_until, due_at, claims, concurrency_key)
VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
ON CONFLICT (id) DO NOTHING;
