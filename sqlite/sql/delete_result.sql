-- ?1 session, ?2 at most so many rows.
DELETE FROM result WHERE rowid IN (SELECT rowid FROM result WHERE session = ?1 LIMIT ?2);
