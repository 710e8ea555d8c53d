-- Marks a request as applied. ?1 session, ?2 key, ?3 outcome.
UPDATE request SET applied = 1, outcome = ?3 WHERE session = ?1 AND key = ?2;
