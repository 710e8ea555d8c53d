// claim.cypher: leases the sessions of $rows (in the order of ids) that nobody holds and that are due, or, without $due, all that
// nobody holds. Returns them with what waits in their inboxes. A missing row: somebody else was faster. A row whose token is there
// already was claimed by an earlier sending of the same claim.
UNWIND $rows AS r
MATCH (s:SESSION {id: r.id})
SET s.lock = 0
WITH s, r, datetime.realtime() AS now, coalesce(s.lease = r.token, false) AS again
WHERE s.deleting IS NULL
  AND (again OR (s.lease IS NULL OR coalesce(s.lease_until <= now, true)) AND (NOT $due OR coalesce(s.due_at <= now, false)))
WITH s, r, now, again, coalesce(s.claims, 0) + 1 AS claims
CALL (s, r, now, again, claims) {
  WITH s, r, now, claims, CASE WHEN claims < 3 THEN 0 WHEN claims > 9 THEN 64 ELSE toInteger(2 ^ (claims - 3)) END AS wait
  WHERE NOT again
  SET s.lease = r.token, s.lease_owner = $owner, s.claims = claims,
      s.lease_until = now + duration({milliseconds: $for}),
      s.due_at = now + duration({milliseconds: $for, seconds: wait}),
      s.created_at = coalesce(s.created_at, now), s.workflow = coalesce(s.workflow, 'default'), s.root = coalesce(s.root, s.id)
}
RETURN s {.*} AS session, now,
       COLLECT { MATCH (q:REQUEST) WHERE q.unapplied = s.id RETURN q {.*} ORDER BY q.n LIMIT 1000 } AS requests
