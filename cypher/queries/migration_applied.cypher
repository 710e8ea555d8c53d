// migration_applied.cypher: remembers one migration. Always one row.
MERGE (m:MIGRATION {version: $version})
SET m.name = $name, m.checksum = $checksum, m.oldest = CASE WHEN $oldest > 0 THEN $oldest END, m.applied_at = datetime.realtime()
RETURN m.version AS version
