// steps_adopt_all.cypher: gives every step without workflow to default, once those that paths lead to are filed (see
// steps_strays.cypher). Returns how many.
// may scan: an index cannot find what is missing; asked by load, list, validate and doctor only.
MATCH (s:STEP) WHERE s.workflow IS NULL
SET s.workflow = 'default'
RETURN count(s) AS adopted
