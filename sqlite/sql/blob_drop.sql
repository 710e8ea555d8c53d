-- ?1 session, ?2 hash.
DELETE FROM blob WHERE session = ?1 AND hash = ?2;
