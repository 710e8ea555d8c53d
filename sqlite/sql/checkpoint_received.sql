-- A checkpoint that brings its request along, of a session at rest. A state or counters of NULL stay as they are.
-- ?1 session, ?2 version, ?3 transition, ?4 state, ?5 counters, ?6 status, ?7 awaiting, ?8 awaiting_since, ?9 now,
-- ?10 number of the request, ?11 lease, ?12 its owner, ?13 its end, ?14 due_at,
-- ?15 definition a pending session was tried with, ?16 key of the request, ?17 its target.
-- No row changed means that the guard did not hold: checkpoint_look tells why.
UPDATE session SET version = version + 1, transition = ?3, state = ifnull(?4, state), counters = ifnull(?5, counters),
  status = ?6, tried = ?15, awaiting = ?7, awaiting_since = ?8, claims = 0, updated_at = ?9, inbox = ?10,
  lease = ?11, lease_owner = ?12, lease_until = ?13, due_at = ?14
WHERE id = ?1 AND version = ?2 AND lease = '' AND inbox = ?10 - 1
  AND NOT EXISTS (SELECT 1 FROM removal WHERE removal.session = ?1)
  AND NOT EXISTS (SELECT 1 FROM request WHERE session = ?1 AND key = ?16)
  AND NOT EXISTS (SELECT 1 FROM request WHERE target = ?17);
