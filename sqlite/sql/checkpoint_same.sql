-- A checkpoint that keeps the lease, the status and the open questions as they are: most of them.
-- It names no column of an index and none that a trigger watches. SQLite writes each index anew of
-- which a column is named, even where the value is the same.
-- ?1 session, ?2 version, ?3 lease, ?4 transition, ?5 state, ?6 counters, ?7 status, ?8 awaiting,
-- ?9 awaiting_since, ?10 now, ?11 highest inbox number that lets a closing pass,
-- ?12 definition a pending session was tried with.
-- No row means that something does change, or that the guard did not hold: checkpoint_keep tells which.
UPDATE session SET version = version + 1, transition = ?4, state = ifnull(?5, state), counters = ifnull(?6, counters),
  tried = ?12, claims = 0, updated_at = ?10
WHERE id = ?1 AND version = ?2 AND lease = ?3 AND inbox <= ?11 AND status = ?7 AND awaiting IS ?8 AND awaiting_since IS ?9
RETURNING inbox;
