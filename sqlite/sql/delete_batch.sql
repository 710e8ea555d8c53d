-- ?1 id.
DELETE FROM batch WHERE id = ?1;
