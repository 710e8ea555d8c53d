// texts_by_hash.cypher: texts of definitions. A missing row: no such hash.
UNWIND $hashes AS hash
MATCH (d:DEFINITION {hash: hash})
RETURN d {.hash, .workflow, .step, .text, .first_seen} AS definition
