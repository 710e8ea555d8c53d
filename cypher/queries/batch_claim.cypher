// batch_claim.cypher: leases a batch that is due and that nobody holds. No row: somebody else was faster. One whose token is there
// already was claimed by an earlier sending of the same claim.
MATCH (b:BATCH {id: $id})
SET b.lock = 0
WITH b, datetime.realtime() AS now, coalesce(b.lease = $token, false) AS again
WHERE again OR (b.lease IS NULL OR coalesce(b.lease_until <= now, true)) AND coalesce(b.due_at <= now, false)
CALL (b, now, again) {
  WITH b, now WHERE NOT again
  SET b.lease = $token, b.lease_owner = $owner, b.updated_at = now,
      b.lease_until = now + duration({milliseconds: $for}), b.due_at = now + duration({milliseconds: $for})
}
RETURN b {.*} AS batch
