// engine_announce.cypher: writes what an engine says of itself and forgets engines that have been silent.
// may scan: there are no more ENGINE nodes than engines that were started within an hour.
MERGE (e:ENGINE {id: $id})
SET e.name = $name, e.functions = $functions, e.heard_at = datetime.realtime(),
    e.version = $version, e.state = $state, e.holds = $holds
WITH e
CALL (e) {
  MATCH (old:ENGINE)
  WHERE old.id <> e.id AND old.heard_at < e.heard_at - duration({milliseconds: $forget})
  DELETE old
}
RETURN e.id AS id
