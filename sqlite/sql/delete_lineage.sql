-- What was written before migration 12; newer lineage goes with its executions. ?1 a JSON list of sessions, ?2 at most so many rows.
DELETE FROM lineage_before WHERE (session, seq, kind, other, label) IN
  (SELECT session, seq, kind, other, label FROM lineage_before WHERE session IN (SELECT value FROM json_each(?1)) LIMIT ?2);
