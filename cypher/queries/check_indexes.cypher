// check_indexes.cypher: indexes that do not answer. No row: all do.
SHOW INDEXES YIELD name, state WHERE state <> 'ONLINE' RETURN name, state
