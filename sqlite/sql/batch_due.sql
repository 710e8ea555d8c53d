-- Tells whether a batch is to be worked on, without the write lock. ?1 now. No row means none.
SELECT 1 FROM batch WHERE due_at <= ?1 AND (lease = '' OR ifnull(lease_until, 0) <= ?1) LIMIT 1;
