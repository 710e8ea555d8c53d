-- Makes the pending sessions of a workflow that nobody holds due at once.
-- ?1 workflow, ?2 now.
UPDATE session SET due_at = ?2
WHERE workflow = ?1 AND status = 'pending' AND (lease = '' OR ifnull(lease_until, 0) <= ?2);
