-- The output of one round. ?1 session, ?2 step, ?3 visit, ?4 index, ?5 output.
INSERT INTO result (session, step, visit, position, output) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (session, step, visit, position) DO UPDATE SET output = excluded.output;
