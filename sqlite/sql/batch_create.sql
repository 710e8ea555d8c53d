-- Creates a batch in phase collecting. ?1 id, ?2 action, ?3 options, ?4 key, ?5 body hash,
-- ?6 who, ?7 now. The caller has looked for id and key under the write lock.
INSERT INTO batch (id, action, phase, options, key, body_hash, by, created_at, updated_at)
VALUES (?1, ?2, 'collecting', ?3, ?4, ?5, ?6, ?7, ?7);
