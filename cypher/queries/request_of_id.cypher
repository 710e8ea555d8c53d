// request_of_id.cypher: a request. No row: there is none.
MATCH (q:REQUEST {id: $id})
RETURN q {.*} AS request
