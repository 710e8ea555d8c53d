// indexes_await.cypher: waits until all indexes answer, at most $seconds. No row: they do.
CALL db.awaitIndexes($seconds)
