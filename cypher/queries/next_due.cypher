// next_due.cypher: when the next session has to be picked up, from the index. No row: never.
MATCH (s:SESSION)
WHERE s.due_at > datetime({epochMillis: 0})
RETURN s.due_at AS due_at ORDER BY s.due_at LIMIT 1
