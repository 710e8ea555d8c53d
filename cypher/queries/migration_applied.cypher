// migration_applied.cypher: remembers one migration. Always one row.
MERGE (m:MIGRATION {version: $version})
SET m.name = $name, m.checksum = $checksum, m.applied_at = datetime.realtime()
RETURN m.version AS version
