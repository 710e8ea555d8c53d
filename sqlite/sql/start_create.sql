-- Remembers the key a session was started with. ?1 key, ?2 session, ?3 body hash, ?4 now.
INSERT INTO start (key, session, body_hash, at) VALUES (?1, ?2, ?3, ?4);
