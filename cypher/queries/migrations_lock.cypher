// migrations_lock.cypher: lets one engine at a time migrate; the others wait for its transaction. Always one row.
MERGE (l:MIGRATION_LOCK {id: 'one'})
SET l.lock = 0
RETURN l.id AS id
