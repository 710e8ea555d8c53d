-- CHILD_OF in both directions; the children themselves stay. ?1 session.
DELETE FROM child WHERE parent = ?1 OR session = ?1;
