-- Writes how far a batch is, for the holder of its lease; without one, for the call that
-- still collects its items. ?1 id, ?2 token, ?3 phase, ?4 message, ?5 total, ?6 done,
-- ?7 failed, ?8 reached, ?9 the lease and ?10 its end from now on, ?11 due_at, ?12 now.
-- No row changed means that the lease is lost: nothing is to be written.
UPDATE batch SET phase = ?3, message = ?4, total = ?5, done = ?6, failed = ?7, reached = ?8,
  lease = ?9, lease_owner = CASE ?9 WHEN '' THEN '' ELSE lease_owner END, lease_until = ?10, due_at = ?11, updated_at = ?12
WHERE id = ?1 AND lease = ?2 AND (?2 <> '' OR phase = 'collecting') AND deleting = 0;
