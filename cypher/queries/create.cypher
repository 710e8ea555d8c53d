// create.cypher: makes sessions, each only where neither its id nor its key of a start is taken. there is the session that has one
// of them already, again tells that this very sending had made it. One row for each. A parent that is gone is left out.
CYPHER replan=skip
UNWIND $rows AS r
OPTIONAL MATCH (k:SESSION {start_key: r.key})
OPTIONAL MATCH (i:SESSION {id: r.id})
WITH r, coalesce(k, i) AS there, datetime.realtime() AS now
CALL (r, there, now) {
  WITH r, there, now WHERE there IS NULL
  CREATE (s:SESSION)
  SET s = r.properties, s.created_at = now, s.updated_at = now,
      s.lease_until = CASE WHEN r.lease_for > 0 THEN now + duration({milliseconds: r.lease_for}) END,
      s.due_at = now + duration({milliseconds: r.lease_for})
  WITH s, r
  MATCH (p:SESSION {id: r.parent})
  CREATE (s)-[:CHILD_OF]->(p)
}
RETURN r.id AS id, there {.*} AS there, coalesce(there.creation = r.properties.creation, false) AS again, now
