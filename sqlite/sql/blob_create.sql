-- ?1 session, ?2 hash, ?3 text. One that is there already has the same text.
INSERT OR IGNORE INTO blob (session, hash, text) VALUES (?1, ?2, ?3);
