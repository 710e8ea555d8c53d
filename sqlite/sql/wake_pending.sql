-- Makes at most ?3 pending sessions of a workflow due that no lease holds, that are not due yet and were
-- not tried with this definition. ?1 workflow, ?2 now, ?3 limit, ?4 definition.
UPDATE session SET due_at = ?2
WHERE id IN (SELECT id FROM session
	WHERE workflow = ?1 AND status = 'pending' AND (lease = '' OR ifnull(lease_until, 0) <= ?2) AND (due_at IS NULL OR due_at > ?2)
		AND ifnull(tried, '') <> ?4 AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.session = session.id AND waiting = 1)
	LIMIT ?3);
