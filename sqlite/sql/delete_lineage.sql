-- What was written before migration 12; newer lineage goes with its executions. ?1 session, ?2 at most so many rows.
DELETE FROM lineage_before WHERE session = ?1 AND (seq, kind, other, label) IN
  (SELECT seq, kind, other, label FROM lineage_before WHERE session = ?1 LIMIT ?2);
