// parents.cypher: those of $ids that have sessions below them, by the index on id. No row: none has.
CYPHER replan=skip
UNWIND $ids AS id
CALL (id) {
  MATCH (s:SESSION) USING INDEX s:SESSION(id) WHERE s.id STARTS WITH id + '/'
  RETURN s LIMIT 1
}
RETURN id
