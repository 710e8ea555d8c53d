-- Extends a lease that still stands, expired or not.
-- ?1 session, ?2 token, ?3 its new end. No row changed means that the lease is lost.
UPDATE session SET lease_until = ?3, due_at = ?3 + CASE WHEN claims >= 3 THEN 1000000 << min(claims - 3, 6) ELSE 0 END
WHERE id = ?1 AND lease = ?2;
