// batch_create.cypher: makes a batch, only where neither its key nor its id is taken. there is the batch that has one of them
// already, again tells that this very sending had made it. Always one row.
OPTIONAL MATCH (k:BATCH {key: $key})
OPTIONAL MATCH (i:BATCH {id: $id})
WITH coalesce(k, i) AS there, datetime.realtime() AS now
CALL (there, now) {
  WITH there, now WHERE there IS NULL
  CREATE (b:BATCH)
  SET b = $properties, b.created_at = now, b.updated_at = now
}
RETURN there {.*} AS there, coalesce(there.creation = $properties.creation, false) AS again, now
