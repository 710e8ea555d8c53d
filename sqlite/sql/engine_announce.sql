-- Writes what an engine says of itself. ?1 id, ?2 name, ?3 functions, ?4 now, ?5 version, ?6 state, ?7 what it holds.
INSERT INTO engine (id, name, functions, heard_at, version, state, holds) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (id) DO UPDATE SET name = ?2, functions = ?3, heard_at = ?4, version = ?5, state = ?6, holds = ?7;
