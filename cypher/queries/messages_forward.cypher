// messages_forward.cypher: a page of a session's messages, in order, by the index on session and n. No row: nothing (more) is there.
MATCH (x:MESSAGE)
WHERE x.session = $session AND x.n > $after AND x.n < $before
WITH x ORDER BY x.session, x.n LIMIT $limit
RETURN x {.*} AS item
ORDER BY x.session, x.n
