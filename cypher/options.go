package cypher

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"
)

// Options say where the database is and how to use it. All but URI have defaults.
type Options struct {
	// URI is neo4j://host:7687 (a cluster or a managed database), bolt://host:7687 (one
	// server), each also with +s for TLS. User, password and database may stand in it:
	// neo4j://user:password@host:7687/database.
	URI      string
	Username string // none: no authentication
	Password string
	Database string // none: the home database of the user
	// ReaderUsername and ReaderPassword are a second user, as whom queries of workflows run
	// (ReadQuery); none: as Username. Where the server has roles (Enterprise, Aura), give it one
	// that only reads: then the server, too, refuses what gets past the checks here. Community
	// gives every user all rights.
	ReaderUsername string
	ReaderPassword string
	Log            *slog.Logger
	Version        string // of stepgraph, for the user agent; "dev" when empty

	Connections    int           // most connections at once; 50
	AcquireTimeout time.Duration // wait for a free connection; 10 s
	ConnectTimeout time.Duration // wait for the server to take a connection; 5 s
	// Migrate says whether Open brings constraints and indexes up to date; nil means yes.
	// new(false) leaves it to a call of Migrate.
	Migrate     *bool
	OpenTimeout time.Duration // wait for the first answer in Open; 10 s
	// TransactionTimeout is when the server itself ends a transaction, so that the locks
	// of an engine that was cut off do not stay; 30 s.
	TransactionTimeout time.Duration
	// CallTimeout limits one call of the store including its retries; 10 s. It is less than the
	// length of a lease, so that an engine whose connections hang can reconnect while it still
	// holds its sessions.
	CallTimeout time.Duration
	// Attempts is how often a call is made again inside the store when the server asks
	// for it (a deadlock) or the connection broke; 5, with growing pauses, together less
	// than a second.
	Attempts int
}

// withDefaults fills what was left out and takes user, password and database from the URI.
func (o Options) withDefaults() (Options, error) {
	if o.URI == "" {
		return o, fmt.Errorf("neo4j: no address: give one like neo4j://127.0.0.1:7687")
	}
	u, err := url.Parse(o.URI)
	if err != nil {
		return o, fmt.Errorf("neo4j: address cannot be read: want scheme://host:port, scheme neo4j or bolt")
	}
	if u.User != nil {
		if o.Username == "" {
			o.Username = u.User.Username()
			o.Password, _ = u.User.Password()
		}
		u.User = nil
	}
	if name := strings.Trim(u.Path, "/"); name != "" && o.Database == "" {
		o.Database = name
	}
	u.Path = ""
	o.URI = u.String()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	fallback(&o.Connections, 50)
	fallback(&o.AcquireTimeout, 10*time.Second)
	fallback(&o.ConnectTimeout, 5*time.Second)
	fallback(&o.OpenTimeout, 10*time.Second)
	fallback(&o.TransactionTimeout, 30*time.Second)
	fallback(&o.CallTimeout, 10*time.Second)
	fallback(&o.Attempts, 5)
	return o, nil
}

func fallback[T comparable](v *T, otherwise T) {
	var zero T
	if *v == zero {
		*v = otherwise
	}
}
