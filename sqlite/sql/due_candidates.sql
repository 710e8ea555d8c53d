-- Ids of sessions that somebody has to pick up, oldest first, without the write lock.
-- No row means nothing is due. The claim checks each again under the lock.
-- ?1 now, ?2 limit, ?3 a JSON list of workflows to leave out, ?4 one of ids.
SELECT id FROM session
WHERE due_at <= ?1 AND workflow NOT IN (SELECT value FROM json_each(?3)) AND (lease = '' OR ifnull(lease_until, 0) <= ?1)
  AND id NOT IN (SELECT value FROM json_each(?4))
ORDER BY due_at LIMIT ?2;
