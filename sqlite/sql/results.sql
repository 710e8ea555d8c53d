-- Outputs of a container's rounds, in order. ?1 session, ?2 step, ?3 visit.
SELECT position, output FROM result WHERE session = ?1 AND step = ?2 AND visit = ?3
ORDER BY position;
