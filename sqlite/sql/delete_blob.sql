-- ?1 session, ?2 at most so many rows.
DELETE FROM blob WHERE rowid IN (SELECT rowid FROM blob WHERE session = ?1 LIMIT ?2);
