// Edit a state
// Changes text inside the state of a session at rest. $was must stand there exactly once. Afterwards wake it: `session resume`
// (which computes status and questions anew). `session edit` does both and keeps who did it. No row: no such session, an engine
// holds it, or $was is not there exactly once: nothing was changed. SET s.lock only takes the node's write lock, as engines do: without
// it an engine may claim the session between the look and the write.
// :param session => '0199…';
// :param was => '"name":"Adda"';
// :param becomes => '"name":"Ada"';
MATCH (s:SESSION {id: $session})
SET s.lock = 0
WITH s, s.state AS old
WHERE s.lease IS NULL AND s.deleting IS NULL AND $was <> '' AND size(split(old, $was)) = 2
SET s.state = replace(old, $was, $becomes)
RETURN s.id AS session, old, s.state AS new
