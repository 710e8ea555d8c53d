-- Takes a session that waits for its turn out of what is due. ?1 session.
UPDATE session SET due_at = NULL, status = 'pending' WHERE id = ?1;
