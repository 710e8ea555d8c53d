package cypher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/engine/store"
)

// What a broken connection means for a call.
type stage int

const (
	// settled: nothing had been asked to be kept, so nothing is.
	settled stage = iota
	// sent: a write was on its way; it may have been kept.
	sent
)

// mapped gives an error of the driver the word the engine decides on: ErrUnavailable when
// the same call may be made again and nothing was written, ErrUnknownOutcome when it may
// have been. Errors that are neither stay as they are: the server said no.
func mapped(err error, at stage) error {
	var answer *neo4j.Neo4jError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrUnknownOutcome):
		return err
	case errors.As(err, &answer):
		return mappedAnswer(err, answer)
	case isContext(err) || isConnection(err):
		if at == sent && !neverSent(err) {
			return fmt.Errorf("%w: %w", store.ErrUnknownOutcome, err)
		}
		if isContext(err) {
			return err
		}
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

// mappedAnswer judges what the server itself said, by its code.
func mappedAnswer(err error, answer *neo4j.Neo4jError) error {
	switch {
	case answer.Code == "Neo.DatabaseError.Transaction.TransactionCommitFailed":
		return fmt.Errorf("%w: %w", store.ErrUnknownOutcome, err)
	case strings.HasPrefix(answer.Code, "Neo.ClientError.Transaction.TransactionTimedOut"):
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrStoreSlow, err)
	case isReadOnly(answer):
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrReadOnly, err)
	case answer.IsRetriable(), mayRepeat[answer.Code]:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

// mayRepeat are codes that the driver does not call transient, though the transaction was
// rolled back for a reason that passes: a server that is stopping, and the time limit of
// Options.TransactionTimeout.
var mayRepeat = map[string]bool{
	"Neo.ClientError.Transaction.Terminated":                             true,
	"Neo.ClientError.Transaction.LockClientStopped":                      true,
	"Neo.ClientError.Transaction.TransactionTimedOut":                    true,
	"Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration": true,
	"Neo.DatabaseError.Transaction.TransactionStartFailed":               true,
}

const codeConstraint = "Neo.ClientError.Schema.ConstraintValidationFailed"

// isConstraint reports whether the server refused a second node with the same unique property.
func isConstraint(err error) bool {
	var answer *neo4j.Neo4jError
	return errors.As(err, &answer) && answer.Code == codeConstraint
}

// isReadOnly reports that the server has the database for reading only, by its settings or as a
// follower of another.
func isReadOnly(answer *neo4j.Neo4jError) bool {
	return answer.Code == "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase" || answer.Code == "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase"
}

// isConnection reports whether the connection failed, not the statement. Some errors of the
// driver have no exported type; their texts have to do.
func isConnection(err error) bool {
	var broken *neo4j.ConnectivityError
	var network net.Error
	if errors.As(err, &broken) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	return begins(err, "Timeout while ", "Reading from connection", "Writing to connection") || neverSent(err)
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// neverSent reports whether there was no connection at all, so that the statement cannot have
// reached the server.
func neverSent(err error) bool {
	var broken *neo4j.ConnectivityError
	if errors.As(err, &broken) {
		err = broken.Inner
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return true
	}
	return begins(err, "Timeout while waiting for connection", "No idle connections", "Pool could not",
		"Could not perform discovery", "Unable to retrieve routing table")
}

func begins(err error, prefixes ...string) bool {
	text := err.Error()
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
}

// advice says what an operator can check when the database does not answer.
func advice(err error) string {
	var answer *neo4j.Neo4jError
	if errors.As(err, &answer) {
		switch {
		case strings.HasPrefix(answer.Code, "Neo.ClientError.Security."):
			return "check user and password"
		case answer.Code == "Neo.ClientError.Database.DatabaseNotFound":
			return "check the name of the database"
		}
		return "the server is there; see its log"
	}
	return "check that the server runs, host and port, and the scheme (bolt:// for one server, neo4j:// for a cluster, +s with TLS)"
}
