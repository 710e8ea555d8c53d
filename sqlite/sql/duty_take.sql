-- Takes a duty, or extends it. No row: another owner has it. ?1 name, ?2 owner, ?3 now, ?4 until.
INSERT INTO duty (name, owner, held_until) VALUES (?1, ?2, ?4)
ON CONFLICT (name) DO UPDATE SET owner = ?2, held_until = ?4 WHERE owner = ?2 OR held_until <= ?3
RETURNING name;
