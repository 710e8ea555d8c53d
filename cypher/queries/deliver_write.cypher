// deliver_write.cypher: puts requests into the inboxes of sessions whose locks are held, and sets what they change there.
// A missing row: that session is gone.
UNWIND $rows AS r
MATCH (s:SESSION {id: r.session})
SET s += r.properties
CREATE (s)-[:RECEIVED]->(q:REQUEST)
SET q = r.request
RETURN s.id AS id
