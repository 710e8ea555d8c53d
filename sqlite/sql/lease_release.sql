-- Gives a lease back without a checkpoint; the session is due at once.
-- ?1 session, ?2 token, ?3 now. No row changed means that the lease was lost before.
UPDATE session SET lease = '', lease_owner = '', lease_until = NULL, due_at = ?3, claims = 0
WHERE id = ?1 AND lease = ?2;
