-- ?1 session.
DELETE FROM removal WHERE session = ?1;
