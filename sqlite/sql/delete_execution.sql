-- ?1 session, ?2 at most so many rows.
DELETE FROM execution WHERE rowid IN (SELECT rowid FROM execution WHERE session = ?1 LIMIT ?2);
