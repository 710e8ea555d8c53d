-- Nobody shall pick up a session that is being deleted. ?1 session.
UPDATE session SET due_at = NULL WHERE id = ?1;
