-- A checkpoint that keeps the lease as it is. A state or counters of NULL stay as they are.
-- ?1 session, ?2 version, ?3 lease, ?4 transition, ?5 state, ?6 counters, ?7 status, ?8 awaiting,
-- ?9 awaiting_since, ?10 now, ?11 highest inbox number that lets a closing pass,
-- ?12 definition a pending session was tried with.
-- No row means that the guard did not hold: checkpoint_look tells why.
UPDATE session SET version = version + 1, transition = ?4, state = ifnull(?5, state), counters = ifnull(?6, counters),
  status = ?7, tried = ?12, awaiting = ?8, awaiting_since = ?9, claims = 0, updated_at = ?10
WHERE id = ?1 AND version = ?2 AND lease = ?3 AND inbox <= ?11
RETURNING inbox;
