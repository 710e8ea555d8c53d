-- ?1 a JSON list of sessions, ?2 at most so many rows.
DELETE FROM blob WHERE rowid IN (SELECT rowid FROM blob WHERE session IN (SELECT value FROM json_each(?1)) LIMIT ?2);
