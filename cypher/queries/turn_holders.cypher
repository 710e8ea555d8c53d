// turn_holders.cypher: sessions that have their turn in a lane, and whether they look as if they used it. Reads take no locks: turn_over.cypher looks again. No row: none.
MATCH (t:TURN)
WHERE t.held = $id
OPTIONAL MATCH (s:SESSION {id: t.session})
RETURN t.session AS session, s IS NOT NULL AND (s.lease IS NOT NULL OR coalesce(s.due_at <= datetime.realtime(), false)) AS uses
