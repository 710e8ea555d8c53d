// removal_begin.cypher: sees to it that nobody picks up the sessions of $ids or sends them requests. Their locks are held. Returns nothing.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (s:SESSION {id: id})
SET s.deleting = true, s.due_at = null, s.lease = null, s.lease_owner = null, s.lease_until = null, s.pending = null
