-- The session that a key started, and the hash of what was asked for. ?1 key.
-- No row means that the key is new.
SELECT session, body_hash FROM start WHERE key = ?1;
