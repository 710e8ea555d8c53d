// deliver_write.cypher: sets what deliveries change on sessions whose locks are held, and puts their requests into the inboxes.
// A row without requests only renews the lease of a delivery that is sent again. A missing row: that session is gone.
CYPHER replan=skip
UNWIND $rows AS r
MATCH (s:SESSION {id: r.session})
SET s += r.properties
FOREACH (request IN r.requests | CREATE (s)-[:RECEIVED]->(q:REQUEST) SET q = request)
RETURN s.id AS id
