// check_deleting.cypher: sessions whose deletion was cut off. No row: none.
// may scan: doctor looks at all of them.
MATCH (s:SESSION) WHERE s.deleting
RETURN s.id AS id ORDER BY id LIMIT 20
