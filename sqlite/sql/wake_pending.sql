-- Makes at most ?3 pending sessions of a workflow due that no lease holds and that are not due yet.
-- ?1 workflow, ?2 now, ?3 limit.
UPDATE session SET due_at = ?2
WHERE id IN (SELECT id FROM session
	WHERE workflow = ?1 AND status = 'pending' AND (lease = '' OR ifnull(lease_until, 0) <= ?2) AND (due_at IS NULL OR due_at > ?2)
	LIMIT ?3);
