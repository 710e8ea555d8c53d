// Child sessions
// The sessions that a session started (subflows, maps) and theirs, as a picture (Graph).
// :param session => '0199…';
MATCH (s:SESSION {id: $session})
OPTIONAL MATCH p = (s)<-[:CHILD_OF*1..3]-(:SESSION)
RETURN s, p
