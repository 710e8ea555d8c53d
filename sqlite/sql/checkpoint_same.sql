-- A checkpoint that keeps the lease, the status and the open questions as they are, of a session whose
-- inbox has no more than the checkpoint has seen: most of them. It names no column of an index and none
-- that a trigger watches, because SQLite writes each index anew of which a column is named, even where
-- the value is the same. It returns nothing: the inbox is known.
-- ?1 transition, ?2 state, ?3 counters, ?4 definition a pending session was tried with, ?5 now,
-- ?6 session, ?7 version, ?8 lease, ?9 inbox, ?10 status, ?11 awaiting, ?12 awaiting_since.
-- No row means that something does change, or that the guard did not hold: checkpoint_keep tells which.
UPDATE session SET version = version + 1, transition = ?1, state = ifnull(?2, state), counters = ifnull(?3, counters),
  tried = ?4, claims = 0, updated_at = ?5
WHERE id = ?6 AND version = ?7 AND lease = ?8 AND inbox = ?9 AND status = ?10 AND awaiting IS ?11 AND awaiting_since IS ?12;
