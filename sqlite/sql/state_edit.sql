-- A person's state for a session whose row was checked in this transaction.
-- ?1 session, ?2 state, ?3 counters (NULL leaves them), ?4 status, ?5 awaiting, ?6 awaiting_since,
-- ?7 number of the request, ?8 now.
UPDATE session SET version = version + 1, state = ?2, counters = ifnull(?3, counters), status = ?4,
  awaiting = ?5, awaiting_since = ?6, inbox = ?7, updated_at = ?8,
  lease = '', lease_owner = '', lease_until = NULL, due_at = ?8, claims = 0
WHERE id = ?1;
