-- ?1 session, ?2 hash, ?3 text. One that is there already has the same text; a session
-- that is gone gets none (a parent may have been deleted while its child ran).
INSERT OR IGNORE INTO blob (session, hash, text)
SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM session WHERE id = ?1);
