// What waits and since when
// Sessions with an open question, the one that waits longest first, with the last thing said. No row: nothing waits for a person.
// :param limit => 50;
MATCH (s:SESSION)
WHERE s.awaiting_since >= datetime({epochMillis: 0})
WITH s ORDER BY s.awaiting_since LIMIT $limit
RETURN s.awaiting_since AS since, duration.between(s.awaiting_since, datetime()) AS waits, s.workflow AS workflow, s.id AS session,
       s.awaiting_steps AS steps, s.awaiting AS questions,
       COLLECT { MATCH (m:MESSAGE) WHERE m.session = s.id AND m.n > 0 RETURN m.content ORDER BY m.n DESC LIMIT 1 }[0] AS last_said
ORDER BY since
