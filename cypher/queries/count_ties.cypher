// count_ties.cypher: how many nodes of a label there are, and how many relations tie sessions to such: both are counters that the server
// keeps. More nodes than ties: some may be left of sessions that are gone.
// may multiply: one row by one.
CALL () { MATCH (x:EXECUTION) RETURN count(x) AS nodes }
CALL () { MATCH (:SESSION)-[r:EXECUTED]->() RETURN count(r) AS ties }
RETURN 'EXECUTION' AS label, nodes, ties
UNION ALL
CALL () { MATCH (x:MESSAGE) RETURN count(x) AS nodes }
CALL () { MATCH (:SESSION)-[r:SAID]->() RETURN count(r) AS ties }
RETURN 'MESSAGE' AS label, nodes, ties
UNION ALL
CALL () { MATCH (x:REQUEST) RETURN count(x) AS nodes }
CALL () { MATCH (:SESSION)-[r:RECEIVED]->() RETURN count(r) AS ties }
RETURN 'REQUEST' AS label, nodes, ties
