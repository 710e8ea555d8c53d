-- ?1 session, ?2 at most so many rows.
DELETE FROM lineage WHERE session = ?1 AND (seq, kind, other, label) IN
  (SELECT seq, kind, other, label FROM lineage WHERE session = ?1 LIMIT ?2);
