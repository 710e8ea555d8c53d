-- ?1 a JSON list of sessions.
DELETE FROM removal WHERE session IN (SELECT value FROM json_each(?1));
