// edit_put_paths.cypher: replaces the properties of paths that stay where they are. A missing row: that path is gone.
UNWIND $rows AS r
MATCH (:STEP)-[p]->(:STEP) WHERE elementId(p) = r.ref
SET p = r.properties
RETURN r.ref AS ref
