-- Writes an entry of the audit trail; one that is there stays as it is. ?1 id, ?2 at, ?3 who, ?4 action, ?5 workflow, ?6 session, ?7 refused, ?8 entry.
INSERT INTO audit (id, at, who, action, workflow, session, refused, entry) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (id) DO NOTHING;
