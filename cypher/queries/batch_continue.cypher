// batch_continue.cypher: takes a stopped batch up in the phase it was stopped in, its failures forgiven. Returns the batch as it is
// then. No row: there is no such batch.
MATCH (b:BATCH {id: $id})
SET b.lock = 0
WITH b, datetime.realtime() AS now
CALL (b, now) {
  WITH b, now, coalesce(b.stopped_in, 'running') AS phase WHERE b.phase = 'stopped' AND b.deleting IS NULL
  SET b.phase = phase, b.stopped_in = null, b.message = null, b.forgiven = b.failed, b.updated_at = now,
      b.due_at = CASE WHEN phase = 'collecting' THEN null ELSE now END
}
RETURN b {.*} AS batch
