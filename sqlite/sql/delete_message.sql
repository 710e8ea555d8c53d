-- ?1 a JSON list of sessions, ?2 at most so many rows.
DELETE FROM message WHERE rowid IN (SELECT rowid FROM message WHERE session IN (SELECT value FROM json_each(?1)) LIMIT ?2);
