// Who did what to a session
// Everything that came from outside: answers, signals, what operators did, in order, and what became of it.
// :param session => '0199…';
// :param limit => 200;
MATCH (q:REQUEST)
WHERE q.session = $session AND q.n > 0
RETURN q.n AS n, q.at AS at, q.kind AS kind, q.by AS who, q.step AS step, q.body AS body, q.applied AS applied, q.outcome AS outcome, q.key AS key
ORDER BY n LIMIT $limit
