-- The output of one round, nothing for a session that is gone.
-- ?1 session, ?2 step, ?3 visit, ?4 index, ?5 output.
INSERT INTO result (session, step, visit, position, output)
SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM session WHERE id = ?1)
ON CONFLICT (session, step, visit, position) DO UPDATE SET output = excluded.output;
