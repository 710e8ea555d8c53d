// release.cypher: gives leases back at a clean stop: the sessions are due at once, and the claim does not count. A missing row:
// somebody else holds that session.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.id})
SET s.lock = 0
WITH s, r
WHERE s.lease = r.token
SET s.lease = null, s.lease_owner = null, s.lease_until = null, s.due_at = datetime.realtime(), s.claims = 0
RETURN s.id AS id
