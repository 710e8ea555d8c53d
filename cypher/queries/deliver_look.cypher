// deliver_look.cypher: what a delivery has to know of a session, read without its lock: unapplied requests in order, and the one with the
// same key. One row for each. The parts may be of different moments: deliver_ahead.cypher compares all that matters once more.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.session})
WHERE s.deleting IS NULL
RETURN s {.*} AS session, datetime.realtime() AS now,
       COLLECT { MATCH (q:REQUEST) USING INDEX q:REQUEST(unapplied) WHERE q.unapplied = r.session RETURN q {.*} ORDER BY q.n } AS unapplied,
       EXISTS { MATCH (:REQUEST {id: r.id}) } AS same
