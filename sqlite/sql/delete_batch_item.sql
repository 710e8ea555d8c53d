-- ?1 batch, ?2 at most so many rows.
DELETE FROM batch_item WHERE rowid IN (SELECT rowid FROM batch_item WHERE batch = ?1 LIMIT ?2);
