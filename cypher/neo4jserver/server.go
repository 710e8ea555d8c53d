package neo4jserver

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
)

// ErrNotOurs is returned by Kill and Restart on a server that another process
// runs. Ask for Kind Own to get one that may be killed.
var ErrNotOurs = errors.New("this Neo4j is named by $NEO4J_URI and was not started here")

// A Server is a running Neo4j. A copy refers to the same server.
type Server struct {
	// URI is the Bolt address, such as bolt://127.0.0.1:7687.
	URI string
	// BrowserURL is the page of Neo4j Browser. It is empty for an existing
	// server, unless $NEO4J_BROWSER_URL names it.
	BrowserURL string
	// Username and Password are empty where authentication is off.
	Username, Password string
	// Database is empty for the server's own default.
	Database string
	// Kind is Existing, Docker or Java.
	Kind string

	instance *instance // nil for an existing server
}

// Start gives a server that has answered a query. The context limits the
// start only, not the life of the server. An error names the log file where
// there is one, and says what to install or set.
func Start(ctx context.Context, options Options) (*Server, error) {
	options = options.withDefaults()
	switch options.Kind {
	case "":
		if os.Getenv(envURI) != "" {
			return existing(ctx)
		}
		return startOwn(ctx, options)
	case Own:
		return startOwn(ctx, options)
	case Existing:
		return existing(ctx)
	case Docker:
		return startDocker(ctx, options)
	case Java:
		return startJava(ctx, options)
	}
	return nil, fmt.Errorf("neo4j: unknown kind %q: use %s, %s, %s or %s", options.Kind, Existing, Docker, Java, Own)
}

// startOwn prefers Docker, because it needs neither Java nor Maven. An engine
// that answers may still be unable to pull the image, which is why everything
// up to the image is a reason to go on with Java and what follows is not.
func startOwn(ctx context.Context, options Options) (*Server, error) {
	docker := dockerReady(ctx, options.Log)
	if docker == nil {
		return startDocker(ctx, options)
	}
	options.Log.Debug("docker is not used", "error", docker)
	server, err := startJava(ctx, options)
	if isMissingTool(err) {
		return nil, fmt.Errorf("%w; docker neither: %w", err, docker)
	}
	return server, err
}

// Driver opens a driver for this server; the caller closes it.
func (s *Server) Driver(configure ...func(*config.Config)) (neo4j.DriverWithContext, error) {
	auth := neo4j.NoAuth()
	if s.Username != "" || s.Password != "" {
		auth = neo4j.BasicAuth(s.Username, s.Password, "")
	}
	driver, err := neo4j.NewDriverWithContext(s.URI, auth, configure...)
	if err != nil {
		return nil, fmt.Errorf("neo4j %s: %w", s.URI, err)
	}
	return driver, nil
}

// Pid is the process id of what was started: the JVM, or the docker client
// that is attached to the container. It is 0 while nothing of ours runs.
func (s *Server) Pid() int {
	if s.instance == nil {
		return 0
	}
	return s.instance.pid()
}

// Stop asks the server to shut down, kills it when it has not done so by the
// context's deadline (at most 30 seconds), and deletes a temporary home. On an
// existing server, or one stopped before, it does nothing.
func (s *Server) Stop(ctx context.Context) error {
	if s.instance == nil {
		return nil
	}
	return s.instance.stop(ctx)
}

// Kill ends the server at once, as a crash would, and waits until it is gone.
// The data stays for Restart.
func (s *Server) Kill() error {
	if s.instance == nil {
		return ErrNotOurs
	}
	return s.instance.kill()
}

// Restart starts the server again on the same data and ports, after a clean
// shutdown where it still runs, and returns when it answers.
func (s *Server) Restart(ctx context.Context) error {
	if s.instance == nil {
		return ErrNotOurs
	}
	return s.instance.restart(ctx)
}
