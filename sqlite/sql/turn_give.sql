-- Gives a session its turn. ?1 session.
UPDATE turn SET waiting = 0 WHERE session = ?1;
