-- Sets the inbox number of a session and what a delivery changes of its lease and due time.
-- ?1 session, ?2 inbox number, ?3 token, ?4 owner, ?5 end of the lease, ?6 due time, ?7 claims.
UPDATE session SET inbox = ?2, lease = ?3, lease_owner = ?4, lease_until = ?5, due_at = ?6, claims = ?7
WHERE id = ?1;
