// request_of_target.cypher: the answer to a question. No row: it has none yet.
MATCH (q:REQUEST {target: $target})
RETURN q {.*} AS request
