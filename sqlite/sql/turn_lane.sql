-- Makes a lane one to look at. ?1 id, ?2 workflow, ?3 key, ?4 now.
INSERT INTO lane (id, workflow, key, look_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (id) DO UPDATE SET look_at = min(look_at, ?4);
