// batch_delete_begin.cypher: takes the lock of a batch that is to go and, when nobody holds it, sees to it that nobody will; its key
// is free from then on. No row: there is no such batch.
MATCH (b:BATCH {id: $id})
SET b.lock = 0
WITH b, coalesce(b.lease_until > datetime.realtime(), false) AND b.lease IS NOT NULL AS held
CALL (b, held) {
  WITH b, held WHERE NOT held
  SET b.deleting = true, b.phase = 'stopped', b.key = null, b.due_at = null, b.lease = null, b.lease_owner = null, b.lease_until = null
}
RETURN held
