-- The keys are free again. ?1 a JSON list of sessions.
DELETE FROM start WHERE session IN (SELECT value FROM json_each(?1));
