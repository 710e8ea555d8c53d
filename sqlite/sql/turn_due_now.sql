-- Makes a session due that has got its turn, with the status it had before it waited. ?1 session, ?2 now.
UPDATE session SET due_at = ?2, status = CASE WHEN status = 'pending' THEN (SELECT turn.status FROM turn WHERE turn.session = ?1) ELSE status END
WHERE id = ?1;
