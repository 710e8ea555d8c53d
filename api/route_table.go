package api

import (
	"log/slog"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// An operation is one route as it is documented and answered.
type operation struct {
	id, method, path string
	tag              string
	summary, about   string
	status           int           // of success; 200 by default
	problems         []string      // slugs it answers with, besides those that any route may
	limit            int64         // of the body; normalLimit by default
	optional         bool          // the body may be left out
	files            bool          // the body is a file of any type
	stream           bool          // an event stream: no deadline
	replay           bool          // a POST whose answers the API itself keeps by key
	takes            []string      // content types of the body besides application/json
	reads            []string      // further ones, which the text names: client generators warn of types they do not know
	object           bool          // the raw body is a JSON object
	objectName       string        // of its schema in the document
	streamed         bool          // the handler reads the body itself, as it comes
	body             any           // what a streamed JSON body is; nil elsewhere
	longest          time.Duration // how long it may take; 0 is Options.RequestTimeout
}

const metaOperation = "operation" // key of huma.Operation.Metadata

// specOf returns what an operation was registered with.
func specOf(op *huma.Operation) *operation { return op.Metadata[metaOperation].(*operation) }

// octets is the content type under which generated clients send and take any file.
const octets = "application/octet-stream"

type empty struct{}

const ndjson = "application/x-ndjson"

const eventStream = "text/event-stream"

// A routeTable is what the routes of all resources share: the document that register adds an
// operation to, and the log for errors that are in no row of the problem table. The resources
// below embed it. Besides, each holds only the part of the engine that its handlers call.
type routeTable struct {
	api     huma.API
	log     *slog.Logger
	actions map[string]string // operation by method and route
	answers *answerStore      // answers of requests with an Idempotency-Key that the engine does not keep
}

// Limits of bodies, in bytes. Answers and inputs have limits of their own in the engine.
const (
	normalLimit = 1 << 20
)
