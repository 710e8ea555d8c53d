-- Sets the inbox number and leases the session, which was found free, or the caller's own,
-- in this transaction. ?1 session, ?2 inbox number, ?3 token, ?4 owner, ?5 end of the lease.
UPDATE session SET inbox = ?2, lease = ?3, lease_owner = ?4, lease_until = ?5, due_at = ?5, claims = 1
WHERE id = ?1;
