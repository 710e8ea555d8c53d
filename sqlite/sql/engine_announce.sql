-- Writes what an engine says of itself. ?1 id, ?2 name, ?3 functions, ?4 now.
INSERT INTO engine (id, name, functions, heard_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (id) DO UPDATE SET name = ?2, functions = ?3, heard_at = ?4;
