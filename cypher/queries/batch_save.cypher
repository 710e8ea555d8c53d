// batch_save.cypher: writes how far a batch is, for the holder of its lease; without a lease, for the call that still collects its
// items. $saving marks the sending: again tells that an earlier one is there. No row: the lease is lost, nothing may be written.
MATCH (b:BATCH {id: $id})
SET b.lock = 0
WITH b, datetime.realtime() AS now, coalesce(b.saving = $saving, false) AS again
WHERE b.deleting IS NULL
  AND (again OR coalesce(b.lease = $lease, false) OR ($lease IS NULL AND b.lease IS NULL AND b.phase = 'collecting'))
CALL (b, now, again) {
  WITH b, now WHERE NOT again
  SET b += $properties, b.saving = $saving, b.updated_at = now,
      b.lease = CASE WHEN $released THEN null ELSE b.lease END,
      b.lease_owner = CASE WHEN $released THEN null ELSE b.lease_owner END,
      b.lease_until = CASE WHEN $released THEN null ELSE now + duration({milliseconds: $for}) END,
      b.due_at = CASE WHEN $released THEN $due_at ELSE now + duration({milliseconds: $for}) END
}
RETURN again
