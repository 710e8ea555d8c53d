-- Those of the ids that have sessions below them: ids between "x/" and "x0". ?1 a JSON list of ids.
SELECT value FROM json_each(?1)
WHERE EXISTS (SELECT 1 FROM session WHERE session.id > value || '/' AND session.id < value || '0');
