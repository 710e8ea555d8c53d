-- ?1 session, ?2 JSON list of hashes. No row for a hash means that the session has no such text.
SELECT hash, text FROM blob WHERE session = ?1 AND hash IN (SELECT value FROM json_each(?2));
