// engines.cypher: engines that were heard lately. No row: none is at work.
// may scan: there are no more ENGINE nodes than engines that were started within an hour.
MATCH (e:ENGINE)
WHERE e.heard_at >= datetime.realtime() - duration({milliseconds: $within})
RETURN e.id AS id, e.name AS name, e.functions AS functions, e.heard_at AS heard_at, e.version AS version, e.state AS state, e.holds AS holds ORDER BY name, id
