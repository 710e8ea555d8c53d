-- ?1 session, ?2 at most so many rows.
DELETE FROM message WHERE rowid IN (SELECT rowid FROM message WHERE session = ?1 LIMIT ?2);
