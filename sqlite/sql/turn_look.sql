-- When to look at a lane again. ?1 id, ?2 look_at, ?3 next_at.
UPDATE lane SET look_at = ?2, next_at = ?3 WHERE id = ?1;
