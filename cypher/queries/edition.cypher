// edition.cypher: whether the server is of the community or the enterprise edition. No row means that it does not say.
CALL dbms.components() YIELD name, edition WHERE name = 'Neo4j Kernel'
RETURN edition
