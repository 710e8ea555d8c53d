-- Removes at most ?2 entries that are older than ?1.
DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ?1 ORDER BY at LIMIT ?2);
