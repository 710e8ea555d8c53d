-- Ids of a session's children, in id order. ?1 parent.
-- No row means it has none.
SELECT session FROM child WHERE parent = ?1 ORDER BY session;
