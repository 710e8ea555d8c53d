// migrations.cypher: what has been applied. No row: a new database.
// may scan: there is one MIGRATION for each file, a handful.
MATCH (m:MIGRATION)
RETURN m.version AS version, m.checksum AS checksum
ORDER BY version
