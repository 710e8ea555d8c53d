-- READ and TOOK of a range of executions. ?1 session, ?2 first seq, ?3 last seq.
SELECT seq, kind, other, label FROM lineage
WHERE session = ?1 AND seq BETWEEN ?2 AND ?3
ORDER BY seq, kind, other, label;
