-- CHILD_OF in both directions; the children themselves stay. ?1 a JSON list of sessions.
DELETE FROM child WHERE parent IN (SELECT value FROM json_each(?1)) OR session IN (SELECT value FROM json_each(?1));
