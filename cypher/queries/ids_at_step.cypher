// ids_at_step.cypher: sessions of any workflow, in no order, among which are all with an open question of a step: those where it is
// the only one, and all with questions of several steps ('', see questionProperties). No row: none. One row without an id: there are
// $limit or more.
MATCH (s:SESSION)
WHERE s.awaiting_step IN [$step, ''] AND s.workflow IS NOT NULL
WITH s LIMIT $limit
WITH collect(s) AS found
UNWIND CASE WHEN size(found) < $limit THEN found ELSE [null] END AS s
RETURN s.id AS id
