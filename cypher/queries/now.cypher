// now.cypher: the database's clock at this moment (datetime() would be the start of the statement). Always one row.
RETURN datetime.realtime() AS now
