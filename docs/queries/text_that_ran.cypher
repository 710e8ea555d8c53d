// Which text of the step ran
// For each visit of a session the text (properties and outgoing paths) that the step had then. changed_since: the step has another
// text by now, as far as an engine has read it.
// :param session => '0199…';
// :param limit => 50;
MATCH (e:EXECUTION)
WHERE e.session = $session AND e.seq > 0
WITH e ORDER BY e.seq LIMIT $limit
OPTIONAL MATCH (d:DEFINITION {hash: e.definition})
RETURN e.seq AS seq, e.step AS step, e.visit AS visit, e.finished_at AS finished_at, d.first_seen AS first_seen, d.text AS text,
       EXISTS { MATCH (l:DEFINITION {workflow: e.workflow, step: e.step}) WHERE l.first_seen > d.first_seen } AS changed_since
ORDER BY seq
