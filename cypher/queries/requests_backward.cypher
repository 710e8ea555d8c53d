// requests_backward.cypher: a page of a session's requests, newest first, by the index on session and n. No row: nothing (more) is there.
MATCH (x:REQUEST)
WHERE x.session = $session AND x.n > $after AND x.n < $before
WITH x ORDER BY x.session DESC, x.n DESC LIMIT $limit
RETURN x {.*} AS item
ORDER BY x.session DESC, x.n DESC
