-- Notes that items were added to a batch that still collects them. ?1 id, ?2 now.
-- No row changed means that it does not, or is not there.
UPDATE batch SET updated_at = ?2 WHERE id = ?1 AND phase = 'collecting';
