// delete_begin.cypher: takes the lock of a session that is to go and, when nobody holds it, sees to it that nobody will.
// No row: there is no such session.
MATCH (s:SESSION {id: $id})
SET s.lock = 0
WITH s, coalesce(s.lease_until > datetime.realtime(), false) AND s.lease IS NOT NULL AS held
CALL (s, held) {
  WITH s, held WHERE NOT held
  SET s.deleting = true, s.due_at = null, s.lease = null, s.lease_owner = null, s.lease_until = null, s.pending = null
}
RETURN held
