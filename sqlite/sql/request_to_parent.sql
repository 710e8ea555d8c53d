-- The end of a child, put into its parent's inbox. Same columns as request_create, without n.
-- No row means that the parent is gone, or that this end is there already.
INSERT INTO request (session, n, key, target, kind, step, visit, ask, body, body_hash, by, at)
SELECT ?1, inbox + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM session WHERE id = ?1
ON CONFLICT (session, key) DO NOTHING
RETURNING n;
