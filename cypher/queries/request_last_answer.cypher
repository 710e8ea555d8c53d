// request_last_answer.cypher: the newest answer to any question of a step. No row: none was given.
MATCH (q:REQUEST)
WHERE q.session = $session AND q.n > 0 AND q.kind = 'answer' AND q.step = $step
RETURN q {.*} AS request
ORDER BY q.n DESC LIMIT 1
