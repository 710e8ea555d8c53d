// Package neo4jserver gives its caller a running Neo4j 5.26: one that somebody
// else runs and $NEO4J_URI names, else one in Docker, else one started from
// its Java artifacts, which Maven fetches once into the user's cache.
//
// Tests, "stepgraph dev --neo4j" and the Makefile use it, so that none of them
// depends on a prepared machine and none has to skip. Testcontainers would be
// the obvious way, but it needs a Docker engine, which many build machines and
// sandboxes lack.
//
// The invariant: only processes started here are ever stopped, each by its own
// process id or container name, and every one of them listens on 127.0.0.1
// alone, because authentication is off.
package neo4jserver
