-- Workflows whose settings or own properties name a limit, and those that have a lane. ?1 a pattern for each, as a JSON list.
SELECT id, name, description, settings, extra FROM workflow
WHERE EXISTS (SELECT 1 FROM json_each(?1) AS p WHERE ifnull(settings, '') LIKE p.value OR ifnull(extra, '') LIKE p.value)
UNION ALL
SELECT DISTINCT l.workflow, '', '', NULL, NULL FROM lane AS l
WHERE NOT EXISTS (SELECT 1 FROM workflow AS w, json_each(?1) AS p WHERE w.id = l.workflow AND (ifnull(w.settings, '') LIKE p.value OR ifnull(w.extra, '') LIKE p.value));
