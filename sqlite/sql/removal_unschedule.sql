-- Nobody shall pick up sessions that are being removed. ?1 a JSON list of marks.
UPDATE session SET due_at = NULL WHERE id IN (SELECT value ->> 'id' FROM json_each(?1));
