package neo4jserver

import (
	"log/slog"
	"time"
)

// Kinds of servers. Options.Kind forces one, Server.Kind is the one in use.
const (
	// Existing is the server that $NEO4J_URI names.
	Existing = "existing"
	// Docker is a container of Image.
	Docker = "docker"
	// Java is a JVM running the artifacts of Version.
	Java = "java"
	// Own is Docker or else Java, whatever $NEO4J_URI says: for tests that
	// have to kill their server.
	Own = "own"
)

const (
	// Version is the Neo4j that Java starts.
	Version = "5.26.20"
	// Image is what Docker starts.
	Image = "neo4j:5.26-community"
	// BrowserVersion is the Neo4j Browser that Java serves.
	BrowserVersion = "5.24.0"
)

// Options says which server to start. The zero value works.
type Options struct {
	// Dir is the home directory: data, logs and configuration. It is made
	// where absent and kept. Empty means a temporary one, deleted by Stop.
	Dir string
	// Kind forces one of the kinds above. Empty means Existing if $NEO4J_URI
	// is set, else Docker if an engine answers, else Java.
	Kind string
	// BoltPort and HTTPPort are ports on 127.0.0.1. Zero means a free one.
	BoltPort, HTTPPort int
	// HeapMB is the heap in MiB, 1,024 by default.
	HeapMB int
	// StartWithin limits the time from launching the server to its first
	// answer, 90 seconds by default. Fetching artifacts is not counted.
	StartWithin time.Duration
	// Log gets a line per step that takes long. Nil means silence.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.HeapMB == 0 {
		o.HeapMB = 1024
	}
	if o.StartWithin == 0 {
		o.StartWithin = 90 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
