-- The key is free again. ?1 session.
DELETE FROM start WHERE session = ?1;
