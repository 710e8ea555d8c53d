-- A checkpoint that gives the lease up. What came in meanwhile makes the session due at once.
-- ?1 session, ?2 version, ?3 lease, ?4 transition, ?5 state, ?6 counters, ?7 status, ?8 awaiting,
-- ?9 awaiting_since, ?10 now, ?11 highest inbox number that lets a closing pass,
-- ?12 due_at, ?13 inbox number it has read, ?14 definition a pending session was tried with.
-- No row means that the guard did not hold: checkpoint_look tells why.
UPDATE session SET version = version + 1, transition = ?4, state = ifnull(?5, state), counters = ifnull(?6, counters),
  status = ?7, tried = ?14, awaiting = ?8, awaiting_since = ?9, claims = 0, updated_at = ?10,
  lease = '', lease_owner = '', lease_until = NULL,
  due_at = CASE WHEN inbox > ?13 THEN ?10 ELSE ?12 END
WHERE id = ?1 AND version = ?2 AND lease = ?3 AND inbox <= ?11
RETURNING inbox;
