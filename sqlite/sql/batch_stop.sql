-- Stops a batch that is not over and ends its lease. ?1 id, ?2 message, ?3 now.
UPDATE batch SET stopped_in = phase, phase = 'stopped', message = ?2,
  lease = '', lease_owner = '', lease_until = NULL, due_at = NULL, updated_at = ?3
WHERE id = ?1 AND phase NOT IN ('complete', 'stopped');
