-- Counts one more request; a session that nobody holds becomes due at once.
-- ?1 session, ?2 number of the request, ?3 now.
UPDATE session SET inbox = ?2,
  due_at = CASE WHEN (lease = '' OR ifnull(lease_until, 0) <= ?3) THEN ?3 ELSE due_at END,
  claims = CASE WHEN (lease = '' OR ifnull(lease_until, 0) <= ?3) THEN 0 ELSE claims END
WHERE id = ?1;
