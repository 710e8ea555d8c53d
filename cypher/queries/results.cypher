// results.cypher: outputs of a container's rounds in their order. No row: no round has ended.
MATCH (r:RESULT {session: $session, step: $step, visit: $visit})
RETURN r.index AS index, r.output AS output
ORDER BY index
