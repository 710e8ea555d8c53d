-- From now on nobody claims the sessions, and they take no requests. ?1 a JSON list of marks.
INSERT OR IGNORE INTO removal (session)
SELECT session.id FROM json_each(?1) AS mark JOIN session ON session.id = mark.value ->> 'id';
