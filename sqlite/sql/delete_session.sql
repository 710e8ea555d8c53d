-- The last rows of sessions. ?1 a JSON list of sessions.
DELETE FROM session WHERE id IN (SELECT value FROM json_each(?1));
