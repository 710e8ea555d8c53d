// 012_root.cypher: the sessions below a topmost session, newest first, however many others there are.
// oldest engine: 11
CREATE INDEX session_root_created_at IF NOT EXISTS FOR (s:SESSION) ON (s.root, s.created_at);
