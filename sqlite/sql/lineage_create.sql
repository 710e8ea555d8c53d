-- READ or TOOK, left out when the other execution is not there.
-- ?1 seq, ?2 kind, ?3 label, ?4 session, ?5 seq of the other.
INSERT OR IGNORE INTO lineage (session, seq, kind, other, label)
SELECT session, ?1, ?2, seq, ?3 FROM execution WHERE session = ?4 AND seq = ?5;
