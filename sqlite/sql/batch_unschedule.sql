-- Sees to it that nobody works on a batch that is to go, and frees its key. ?1 id.
UPDATE batch SET phase = 'stopped', deleting = 1, key = NULL, lease = '', lease_owner = '', lease_until = NULL, due_at = NULL
WHERE id = ?1;
