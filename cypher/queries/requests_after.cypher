// requests_after.cypher: requests of many sessions, each above a number, in order. No row: nothing new.
UNWIND $rows AS r
MATCH (q:REQUEST) WHERE q.session = r.session AND q.n > r.n
RETURN q {.*} AS request
ORDER BY q.session, q.n
