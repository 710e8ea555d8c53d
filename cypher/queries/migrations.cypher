// migrations.cypher: what has been applied. No row: a new database.
// may scan: there is one MIGRATION for each file, a handful.
MATCH (m:MIGRATION)
RETURN m.version AS version, m.name AS name, m.checksum AS checksum, m.oldest AS oldest
ORDER BY version
