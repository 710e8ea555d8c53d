-- ?1 session, ?2 at most so many rows.
DELETE FROM request WHERE rowid IN (SELECT rowid FROM request WHERE session = ?1 LIMIT ?2);
