// deliver_requests.cypher: what a delivery has to know of a session whose lock is held: its unapplied requests in order, the one with
// the same key, and those that answer the questions which are open. One row for each.
UNWIND $rows AS r
RETURN r.session AS session,
       COLLECT { MATCH (q:REQUEST) WHERE q.unapplied = r.session RETURN q {.*} ORDER BY q.n } AS unapplied,
       COLLECT { MATCH (q:REQUEST {id: r.id}) RETURN q {.*} } AS same,
       COLLECT { UNWIND r.targets AS target MATCH (q:REQUEST {target: target}) RETURN q {.*} } AS answers
