package neo4jserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
)

// askEvery is the pause between two attempts to reach a starting server.
const askEvery = 100 * time.Millisecond

// errExited says that the server's process ended before it answered.
var errExited = errors.New("the server ended before it answered")

// awaitAnswer asks until the server answers a query or the context ends. It
// stops early when exited is closed, or when the credentials are refused,
// which no waiting mends. A nil exited never closes.
func awaitAnswer(ctx context.Context, server *Server, exited <-chan struct{}) error {
	driver, err := server.Driver(func(c *config.Config) {
		c.MaxTransactionRetryTime = 0
		c.SocketConnectTimeout = 2 * time.Second
		c.ConnectionAcquisitionTimeout = 5 * time.Second
	})
	if err != nil {
		return err
	}
	defer driver.Close(context.WithoutCancel(ctx))
	ticker := time.NewTicker(askEvery)
	defer ticker.Stop()
	for {
		err := ask(ctx, driver, server.Database)
		if err == nil || isRefused(err) {
			return err
		}
		select {
		case <-exited:
			return errExited
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}

// ask runs a query that needs the database, not only the Bolt port: the port
// answers before the default database is open.
func ask(ctx context.Context, driver neo4j.DriverWithContext, database string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("no answer to a query within 5s"))
	defer cancel()
	_, err := neo4j.ExecuteQuery(ctx, driver, "MATCH (n) RETURN n LIMIT 1", nil, neo4j.EagerResultTransformer,
		neo4j.ExecuteQueryWithDatabase(database))
	return err
}

func isRefused(err error) bool {
	var refused *neo4j.Neo4jError
	return errors.As(err, &refused) && refused.Category() == "Security"
}
