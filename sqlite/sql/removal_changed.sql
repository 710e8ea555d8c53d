-- Sessions that are not as they were marked, or that somebody holds or will pick up.
-- Those whose removal has begun were looked at then. ?1 a JSON list of marks, ?2 now.
SELECT session.id FROM json_each(?1) AS mark JOIN session ON session.id = mark.value ->> 'id'
WHERE (session.version <> mark.value ->> 'version' OR session.inbox <> mark.value ->> 'inbox' OR session.due_at IS NOT NULL
    OR session.lease <> '' AND ifnull(session.lease_until, 0) > ?2)
  AND NOT EXISTS (SELECT 1 FROM removal WHERE removal.session = session.id);
