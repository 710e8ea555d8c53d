-- Lanes of workflows at which somebody has to look. ?1 now, ?2 a JSON list of workflows, ?3 limit. No row means none.
SELECT id, workflow, next_at FROM lane WHERE look_at <= ?1 AND workflow IN (SELECT value FROM json_each(?2)) ORDER BY look_at, id LIMIT ?3;
