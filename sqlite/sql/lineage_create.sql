-- READ or TOOK, left out when the other execution is not there.
-- ?1 session, ?2 seq, ?3 kind, ?4 seq of the other, ?5 label.
INSERT OR IGNORE INTO lineage (session, seq, kind, other, label)
SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM execution WHERE session = ?1 AND seq = ?4);
