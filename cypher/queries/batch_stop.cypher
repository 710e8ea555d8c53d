// batch_stop.cypher: stops a batch that is not over and ends its lease. Returns it as it is then. No row: there is no such batch.
MATCH (b:BATCH {id: $id})
SET b.lock = 0
WITH b, datetime.realtime() AS now
CALL (b, now) {
  WITH b, now WHERE NOT b.phase IN ['complete', 'stopped']
  SET b.stopped_in = b.phase, b.phase = 'stopped', b.message = $message, b.updated_at = now,
      b.lease = null, b.lease_owner = null, b.lease_until = null, b.due_at = null
}
RETURN b {.*} AS batch
