// audit_record.cypher: writes entries of the audit trail. One that is there already stays as it is.
CYPHER replan=skip
UNWIND $rows AS row
MERGE (a:AUDIT {id: row.id})
ON CREATE SET a += row.properties
RETURN count(*) AS entries
