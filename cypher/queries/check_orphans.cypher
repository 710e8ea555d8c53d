// check_orphans.cypher: what is left of sessions that are gone, by label, with one such session. No row: nothing.
// may scan: doctor looks at all of it.
MATCH (x:EXECUTION) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) }
RETURN 'EXECUTION' AS label, count(*) AS orphans, min(x.session) AS session
UNION ALL
MATCH (x:MESSAGE) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) }
RETURN 'MESSAGE' AS label, count(*) AS orphans, min(x.session) AS session
UNION ALL
MATCH (x:REQUEST) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) }
RETURN 'REQUEST' AS label, count(*) AS orphans, min(x.session) AS session
UNION ALL
MATCH (x:BLOB) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) }
RETURN 'BLOB' AS label, count(*) AS orphans, min(x.session) AS session
UNION ALL
MATCH (x:RESULT) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) }
RETURN 'RESULT' AS label, count(*) AS orphans, min(x.session) AS session
