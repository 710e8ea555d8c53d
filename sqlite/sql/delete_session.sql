-- The last row of a session. ?1 session.
DELETE FROM session WHERE id = ?1;
