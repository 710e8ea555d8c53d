// edit_remove_paths.cypher: removes paths by the handles they were read with. Returns how many there were.
UNWIND $refs AS ref
MATCH (:STEP)-[p]->(:STEP) WHERE elementId(p) = ref
DELETE p
RETURN count(*) AS removed
