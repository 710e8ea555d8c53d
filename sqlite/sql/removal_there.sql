-- The marked sessions that exist, in the order of the marks. ?1 a JSON list of marks.
SELECT session.id FROM json_each(?1) AS mark JOIN session ON session.id = mark.value ->> 'id' ORDER BY mark.key;
