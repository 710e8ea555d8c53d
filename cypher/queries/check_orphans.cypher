// check_orphans.cypher: what is left of sessions that are gone, by label of $labels, with one such session. No row: nothing.
// may scan: doctor looks at all of them.
// may multiply: one label by its nodes.
UNWIND [label IN $labels WHERE label = 'EXECUTION'] AS label
MATCH (x:EXECUTION) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) }
RETURN label, count(*) AS orphans, min(x.session) AS session
UNION ALL
UNWIND [label IN $labels WHERE label = 'MESSAGE'] AS label
MATCH (x:MESSAGE) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) }
RETURN label, count(*) AS orphans, min(x.session) AS session
UNION ALL
UNWIND [label IN $labels WHERE label = 'REQUEST'] AS label
MATCH (x:REQUEST) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) }
RETURN label, count(*) AS orphans, min(x.session) AS session
UNION ALL
UNWIND [label IN $labels WHERE label = 'BLOB'] AS label
MATCH (x:BLOB) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) }
RETURN label, count(*) AS orphans, min(x.session) AS session
UNION ALL
UNWIND [label IN $labels WHERE label = 'RESULT'] AS label
MATCH (x:RESULT) WHERE NOT EXISTS { MATCH (:SESSION {id: x.session}) }
RETURN label, count(*) AS orphans, min(x.session) AS session
