-- A session needs no turn any more. ?1 session.
DELETE FROM turn WHERE session = ?1;
