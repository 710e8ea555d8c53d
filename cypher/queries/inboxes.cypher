// inboxes.cypher: inbox number and lease token of sessions. A missing row: there is no such session.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (s:SESSION {id: id})
RETURN s.id AS id, coalesce(s.inbox, 0) AS inbox, s.lease AS lease
