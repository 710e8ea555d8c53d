// requests_after.cypher: requests of many sessions, each above a number, in order. No row: nothing new.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (q:REQUEST) USING INDEX q:REQUEST(session, n) WHERE q.session = r.session AND q.n > r.n
RETURN q {.*} AS request
ORDER BY q.session, q.n
