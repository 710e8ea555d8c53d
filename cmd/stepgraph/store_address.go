package main

import "strings"

// Kinds of store.
const (
	storeMemory = "memory"
	storeSQLite = "sqlite"
	storeNeo4j  = "neo4j"
)

// kindOfStore tells which store an address is of, and for sqlite its file.
func kindOfStore(address string) (kind, file string, err error) {
	if address == storeMemory {
		return storeMemory, "", nil
	}
	scheme, rest, found := strings.Cut(address, ":")
	switch {
	case found && scheme == storeSQLite && rest != "":
		return storeSQLite, strings.TrimPrefix(rest, "//"), nil
	case found && strings.HasPrefix(rest, "//"):
		switch scheme {
		case "neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc":
			return storeNeo4j, "", nil
		}
	}
	return "", "", usagef("store %q: want memory, sqlite:FILE, neo4j://HOST:PORT or bolt://HOST:PORT", hidePassword(address))
}

// hidePassword keeps what stands before an @ out of messages.
func hidePassword(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if at := strings.LastIndex(rest, "@"); found && at >= 0 {
		return scheme + "://…@" + rest[at+1:]
	}
	return address
}
