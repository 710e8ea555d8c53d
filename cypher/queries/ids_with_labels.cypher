// ids_with_labels.cypher: sessions, in no order, among which are all with the labels of $query, by the full-text index on labels. No row:
// none has them. One row without an id: there are $limit or more.
CALL db.index.fulltext.queryNodes('session_labels', $query, {limit: $limit}) YIELD node AS s
WITH collect(s) AS found
UNWIND CASE WHEN size(found) < $limit THEN found ELSE [null] END AS s
RETURN s.id AS id
