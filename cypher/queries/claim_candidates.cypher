// claim_candidates.cypher: ids of sessions that somebody has to pick up, oldest first, without taking any lock.
// Sessions of the workflows of $skip, and those of $except, are passed over. No row: nothing is due. The claim takes the locks of the chosen ones in the order of ids and looks again.
MATCH (s:SESSION)
WHERE s.due_at <= datetime.realtime() AND NOT coalesce(s.workflow, 'default') IN $skip AND NOT s.id IN $except
RETURN s.id AS id ORDER BY s.due_at LIMIT $limit
