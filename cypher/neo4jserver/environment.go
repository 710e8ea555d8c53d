package neo4jserver

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"
)

// The variables that name an existing server.
const (
	envURI      = "NEO4J_URI"
	envUsername = "NEO4J_USERNAME"
	envPassword = "NEO4J_PASSWORD"
	envDatabase = "NEO4J_DATABASE"
	envBrowser  = "NEO4J_BROWSER_URL"
)

// existingWithin is how long a server that should be there may take to answer.
const existingWithin = 15 * time.Second

// Environ gives the variables, as KEY=value, with which another process finds
// this server as its existing one.
func (s *Server) Environ() []string {
	return []string{
		envURI + "=" + s.URI,
		envUsername + "=" + s.Username,
		envPassword + "=" + s.Password,
		envDatabase + "=" + s.Database,
		envBrowser + "=" + s.BrowserURL,
	}
}

func existing(ctx context.Context) (*Server, error) {
	server := &Server{
		URI:        os.Getenv(envURI),
		BrowserURL: os.Getenv(envBrowser),
		Username:   os.Getenv(envUsername),
		Password:   os.Getenv(envPassword),
		Database:   os.Getenv(envDatabase),
		Kind:       Existing,
	}
	if server.URI == "" {
		return nil, fmt.Errorf("neo4j: $%s is not set: set it to a Bolt address such as bolt://127.0.0.1:7687", envURI)
	}
	if server.Password != "" {
		server.Username = cmp.Or(server.Username, "neo4j")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, existingWithin,
		fmt.Errorf("no answer within %s", existingWithin))
	defer cancel()
	if err := awaitAnswer(ctx, server, nil); err != nil {
		return nil, fmt.Errorf("neo4j %s (from $%s): %w: start it, or unset $%s to have one started", server.URI, envURI, err, envURI)
	}
	return server, nil
}
