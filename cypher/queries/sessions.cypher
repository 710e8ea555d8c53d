// sessions.cypher: the sessions of $ids that exist, with their state. A missing row: there is no such session.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (s:SESSION {id: id})
RETURN s {.*} AS session
