// Package neo4jserver provides a running Neo4j 5.26: the server that $NEO4J_URI names, else
// one started in Docker, else one started from its Java artifacts, which Maven downloads once
// into the user's cache.
//
// Tests, "stepgraph dev --neo4j" and the Makefile use it, so that they neither depend on a
// prepared machine nor skip. Testcontainers needs a Docker engine, which many build machines
// and sandboxes do not have.
//
// Invariant: it stops only processes that it started, each by its process id or container
// name. All of them listen on 127.0.0.1 only, because authentication is off.
package neo4jserver
