// duplicates.cypher: values that several nodes of one label share, when a constraint could not be made. No row: none.
// may scan: asked once, after a constraint failed.
MATCH (n)
WHERE $label IN labels(n) AND n[$property] IS NOT NULL
WITH n[$property] AS value, collect(elementId(n)) AS nodes
WHERE size(nodes) > 1
RETURN value, nodes
ORDER BY value LIMIT 20
