package api

import (
	"errors"
	"net/http"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/vault"
)

// Faults of requests that only the API knows.
var (
	errUnauthorized  = errors.New("token is missing or wrong")
	errQuota         = errors.New("the quota of the token is used up")
	errStoreFull     = &policyError{"the store has reached the size that the operator set", http.StatusInsufficientStorage}
	errForbidden     = &policyError{"forbidden", http.StatusForbidden}
	errNoTokens      = errors.New("this server has no file of tokens")
	errBatchBusy     = errors.New("batch is running")
	errStepExists    = errors.New("step exists")
	errPathExists    = errors.New("path exists")
	errPathRefused   = errors.New("path refused")
	errNoVersion     = errors.New("If-Match is missing")
	errInvalid       = errors.New("invalid request")
	errNoRoute       = errors.New("no such route")
	errMethod        = errors.New("method not allowed")
	errMediaType     = errors.New("media type not supported")
	errInternal      = errors.New("internal error")
	errClientIsGone  = errors.New("the client went away")
	errRequestIsSlow = errors.New("the request took too long")
)

// A policyError refuses what a token may not do. The routes of other systems, which know
// nothing of the problems here, answer with its status.
type policyError struct {
	text   string
	status int
}

func (e *policyError) Error() string  { return e.text }
func (e *policyError) GetStatus() int { return e.status }

// A problemRow is one type of problem: which error it answers, and what people read.
type problemRow struct {
	Err        error
	Slug       string
	Status     int
	Title      string
	Means      string // when it happens
	Do         string // what to do about it
	RetryAfter int    // seconds, where trying again helps
}

// problemTable is every problem the API answers with, in the order of docs/problems.md,
// which is made of it. An error that fits no row is internal.
var problemTable = []problemRow{
	{Err: engine.ErrBadRequest, Slug: "bad_request", Status: http.StatusBadRequest, Title: "The request cannot be parsed",
		Means: "The body is not JSON, not UTF-8 or nested deeper than 200 levels, or contains an invalid value; `errors` names the positions.",
		Do:    "Correct the request. Nothing has changed."},
	{Err: errUnauthorized, Slug: "unauthorized", Status: http.StatusUnauthorized, Title: "A token is required",
		Means: "The server requires a token, and the request has none or an unknown one.",
		Do:    "Send `Authorization: Bearer TOKEN` or `X-API-KEY: TOKEN`; a browser may use any name with the token as password."},
	{Err: errForbidden, Slug: "forbidden", Status: http.StatusForbidden, Title: "Origin or host not allowed",
		Means: "A browser sent the request from a page of another origin, or the `Host` header names a host this server does not serve (it listens on loopback only, which prevents DNS rebinding).",
		Do:    "Use the address the server prints, or start it with the host's name allowed."},
	{Err: errNoRoute, Slug: "not_found", Status: http.StatusNotFound, Title: "No such route",
		Means: "No route matches the path.",
		Do:    "See `/openapi.json` for the routes."},
	{Err: engine.ErrSessionNotFound, Slug: "session_not_found", Status: http.StatusNotFound, Title: "No such session",
		Means: "There is no session of this id; it may have been deleted.",
		Do:    "List sessions with `GET /api/v1/sessions`."},
	{Err: engine.ErrWorkflowNotFound, Slug: "workflow_not_found", Status: http.StatusNotFound, Title: "No such workflow",
		Means: "There is no workflow of this id; `exists` lists the existing ones.",
		Do:    "Load it, or use one of `exists`."},
	{Err: engine.ErrStepNotFound, Slug: "step_not_found", Status: http.StatusNotFound, Title: "No such step",
		Means: "The workflow has no step of this id; `exists` lists those it has.",
		Do:    "Use one of `exists`."},
	{Err: engine.ErrPathNotFound, Slug: "path_not_found", Status: http.StatusNotFound, Title: "No such path",
		Means: "The workflow has no path of this id or name; `exists` lists those it has. A path without an id is called `source>target`.",
		Do:    "Use one of `exists`, escaped for a URL (`>` is `%3E`)."},
	{Err: engine.ErrBatchNotFound, Slug: "batch_not_found", Status: http.StatusNotFound, Title: "No such batch",
		Means: "There is no batch of this id; it may have been deleted.",
		Do:    "List batches with `GET /api/v1/batches`."},
	{Err: vault.ErrProfileNotFound, Slug: "profile_not_found", Status: http.StatusNotFound, Title: "No such profile",
		Means: "There is no profile of this name; `exists` lists the existing ones.",
		Do:    "Set it with `PUT /api/v1/profiles/{profile}`, or use one of `exists`."},
	{Err: vault.ErrVariableNotFound, Slug: "variable_not_found", Status: http.StatusNotFound, Title: "No such variable",
		Means: "There is no variable of this name; `exists` lists the existing ones.",
		Do:    "Set it with `PUT /api/v1/variables/{variable}`, or use one of `exists`."},
	{Err: vault.ErrSecretNotFound, Slug: "secret_not_found", Status: http.StatusNotFound, Title: "No such secret",
		Means: "There is no secret of this name; `exists` lists the existing ones.",
		Do:    "Set it with `PUT /api/v1/secrets/{secret}`, or use one of `exists`."},
	{Err: errMethod, Slug: "method_not_allowed", Status: http.StatusMethodNotAllowed, Title: "Method not allowed",
		Means: "The route exists, but not for this method; `Allow` lists its methods.",
		Do:    "Use a method of `Allow`."},
	{Err: engine.ErrNoOpenQuestion, Slug: "no_open_question", Status: http.StatusConflict, Title: "No open question",
		Means: "The session, or the given step, has no open question.",
		Do:    "Read the session's `awaiting`. If it is still running, send the previous request with `?wait=`, which returns when it asks."},
	{Err: engine.ErrAlreadyAnswered, Slug: "already_answered", Status: http.StatusConflict, Title: "Answered already",
		Means: "Another answer to the same question was accepted first; it is in `accepted`. Repeating the same answer is not an error.",
		Do:    "Show `accepted`. To answer a later question of the step, give its visit."},
	{Err: engine.ErrSessionExists, Slug: "session_exists", Status: http.StatusConflict, Title: "The session's id is taken",
		Means: "A session with this id exists.",
		Do:    "Omit `id` to get a new one. To make a start repeatable use `Idempotency-Key`."},
	{Err: engine.ErrSessionBusy, Slug: "session_busy", Status: http.StatusConflict, Title: "The session is running",
		Means: "An engine is running the session, so its state cannot be replaced; or the request deletes a session that has not ended.",
		Do:    "Pause it or wait until it is idle, then retry; to delete it, cancel it first or use `?cancel=true`."},
	{Err: engine.ErrLeaseLost, Slug: "session_busy", Status: http.StatusConflict},
	{Err: store.ErrDutyTaken, Slug: "prune_busy", Status: http.StatusConflict, Title: "Sessions are being removed already",
		Means: "An engine or a command is removing sessions. Only one may at a time, otherwise a session could be archived twice.",
		Do:    "Retry when it has ended, or after 30 s if its process died.", RetryAfter: 30},
	{Err: errBatchBusy, Slug: "batch_busy", Status: http.StatusConflict, Title: "The batch is running",
		Means: "The batch is running, so it cannot be deleted.",
		Do:    "Stop it with `POST …/stop` or wait until it is complete, then delete it."},
	{Err: engine.ErrSessionEnded, Slug: "session_ended", Status: http.StatusConflict, Title: "The session has ended",
		Means: "The session is complete or cancelled; the action needs an open session.",
		Do:    "Start a new session."},
	{Err: engine.ErrSignalsFull, Slug: "signals_full", Status: http.StatusConflict, Title: "Too many signals wait",
		Means: "The session holds the maximum number of signals that no step has consumed; `detail` gives the limit. Older signals are not dropped.",
		Do:    "Send the signal again once a step waits for it (`awaiting` lists the step with kind `signal`)."},
	{Err: access.ErrNotFound, Slug: "token_not_found", Status: http.StatusNotFound, Title: "No such token",
		Means: "There is no token of this name; it may have been revoked.",
		Do:    "List tokens with `GET /api/v1/tokens`."},
	{Err: access.ErrExists, Slug: "token_exists", Status: http.StatusConflict, Title: "The token exists",
		Means: "A token with this name exists.",
		Do:    "Revoke it, or give another name."},
	{Err: access.ErrInvalid, Slug: "token_invalid", Status: http.StatusUnprocessableEntity, Title: "The token cannot be created",
		Means: "A scope is unknown, the name has other characters than letters, digits, `.`, `_` and `-`, or a limit is given to `admin` or `run-code`.",
		Do:    "Correct the error in `detail`."},
	{Err: errNoTokens, Slug: "no_tokens", Status: http.StatusConflict, Title: "No file of tokens",
		Means: "The server keeps no tokens: its store is in memory, or it was started without a token.",
		Do:    "Start the server with `--token`, and with a store that is a file or Neo4j, or set `$STEPGRAPH_TOKENS`."},
	{Err: vault.ErrFixed, Slug: "fixed_by_configuration", Status: http.StatusConflict, Title: "Set by the configuration file",
		Means: "The configuration file of the engine has an entry of this name, which takes precedence over the API.",
		Do:    "Change it in the file and start the engine again, or use another name."},
	{Err: errStepExists, Slug: "step_exists", Status: http.StatusConflict, Title: "The step exists",
		Means: "The workflow has a step with this id.",
		Do:    "Change it with `PATCH`, or choose another id."},
	{Err: errPathExists, Slug: "path_exists", Status: http.StatusConflict, Title: "The path exists",
		Means: "The workflow has a path with this id.",
		Do:    "Change it with `PATCH`, or choose another id."},
	{Err: errPathRefused, Slug: "path_refused", Status: http.StatusUnprocessableEntity, Title: "Connection not allowed by the original system",
		Means: "The workflow was imported, and its system does not allow this connection: a node with itself, a cycle of edges, or incompatible handles. The detail says which.",
		Do:    "Connect the nodes as that system allows; the message says how. Workflows that were not imported have no such rules."},
	{Err: engine.ErrVersionMismatch, Slug: "version_mismatch", Status: http.StatusPreconditionFailed, Title: "Version mismatch",
		Means: "The stored version is not the one in `If-Match`: it was changed since.",
		Do:    "Read it again, apply the change to that version, and send it with its `ETag`."},
	{Err: errNoVersion, Slug: "version_required", Status: http.StatusPreconditionRequired, Title: "If-Match is missing",
		Means: "This edit replaces the whole state, so it must name the version that it is based on.",
		Do:    "Send the `ETag` of the state you read as `If-Match`."},
	{Err: engine.ErrTooLarge, Slug: "too_large", Status: http.StatusRequestEntityTooLarge, Title: "Too large",
		Means: "The body, or a part of it, exceeds a limit, which the detail names: bodies 1 MB (5 MB for states and workflows, 64 MB for batches), inputs and answers 1 MB, states 4 MB.",
		Do:    "Send less; store large data elsewhere and refer to it."},
	{Err: errMediaType, Slug: "unsupported_media_type", Status: http.StatusUnsupportedMediaType, Title: "Wrong content type",
		Means: "The route does not accept the body's `Content-Type`.",
		Do:    "Send `Content-Type: application/json`."},
	{Err: errInvalid, Slug: "request_invalid", Status: http.StatusUnprocessableEntity, Title: "The request is invalid",
		Means: "The body is JSON but does not match the route's schema: a field is unknown, missing or of a wrong type; or a parameter is. `errors` names each position.",
		Do:    "Correct the named positions. Nothing has changed."},
	{Err: vault.ErrInvalid, Slug: "request_invalid", Status: http.StatusUnprocessableEntity},
	{Err: engine.ErrNoEntry, Slug: "no_entry", Status: http.StatusUnprocessableEntity, Title: "No such entry step",
		Means: "The workflow has no step with the id of the entry (`root` by default); `exists` lists its steps.",
		Do:    "Give one of `exists` as `entry`."},
	{Err: engine.ErrAnswerInvalid, Slug: "answer_invalid", Status: http.StatusUnprocessableEntity, Title: "The answer does not fit the question",
		Means: "The answer is not one of the options, or does not match the question's schema; `errors` points into `/response`. The question stays open.",
		Do:    "Send an answer that matches the question's `options` and `schema`."},
	{Err: engine.ErrKeyReused, Slug: "key_reused", Status: http.StatusUnprocessableEntity, Title: "The key was used for something else",
		Means: "The `Idempotency-Key` was used before with another body.",
		Do:    "Use a new key for each request, and the same key only to repeat a request."},
	{Err: engine.ErrWorkflowInvalid, Slug: "workflow_invalid", Status: http.StatusUnprocessableEntity, Title: "The workflow cannot be used",
		Means: "The file has no known format, the workflow has errors (`errors` names each with its step or path and its code), or it cannot be written in the requested format. Nothing was stored.",
		Do:    "Correct the named positions, or send `force=true` to store a workflow with its errors."},
	{Err: engine.ErrOverloaded, Slug: "overloaded", Status: http.StatusTooManyRequests, Title: "The server is overloaded",
		Means: "Due sessions have waited for a place in this engine for more than a minute, or large request bodies use all the memory reserved for them; `detail` says which. Nothing was stored.",
		Do:    "Retry after the time in `Retry-After`.", RetryAfter: 5},
	{Err: errQuota, Slug: "quota_exceeded", Status: http.StatusTooManyRequests, Title: "The token's quota is used up",
		Means: "The token has reached its limit of requests per second, sessions per hour, or bytes per hour; `detail` says which. Nothing has happened.",
		Do:    "Retry after the time in `Retry-After`, or request a larger quota.", RetryAfter: 1},
	{Err: errInternal, Slug: "internal", Status: http.StatusInternalServerError, Title: "Internal error",
		Means: "A bug or fault of the server. Its log has the details.",
		Do:    "Report it with the time and the request. The request may be repeated with the same `Idempotency-Key`."},
	{Err: errStoreFull, Slug: "store_full", Status: http.StatusInsufficientStorage, Title: "The store is full",
		Means: "The store is larger than `--max-store` allows. New sessions, workflows and batches are refused; open sessions continue and can be answered.",
		Do:    "Delete sessions that have ended, or raise `--max-store`.", RetryAfter: 60},
	{Err: engine.ErrNotOnThisStore, Slug: "not_on_this_store", Status: http.StatusNotImplemented, Title: "Not supported by this store",
		Means: "The store of this engine does not support it: graph queries need Neo4j.",
		Do:    "Run the engine on a store that does."},
	{Err: engine.ErrDiskFull, Slug: "disk_full", Status: http.StatusInsufficientStorage, Title: "The disk of the store is full",
		Means: "Nothing can be written. Acknowledged writes are kept, and running sessions continue when there is space.",
		Do:    "Free space on the disk of the store. Then repeat the request with the same `Idempotency-Key`.", RetryAfter: 30},
	{Err: engine.ErrStoreDamaged, Slug: "store_damaged", Status: http.StatusInternalServerError, Title: "The store is damaged",
		Means: "The store cannot be read: pages of the file are corrupt, or it is not a database.",
		Do:    "Stop all engines and restore a backup."},
	{Err: engine.ErrSchema, Slug: "schema", Status: http.StatusServiceUnavailable, Title: "Schema version mismatch",
		Means: "The database lacks a migration that this version needs, or has one that this version is not compatible with; `detail` has the numbers. Nothing was written.",
		Do:    "Run `stepgraph migrate`, or upgrade this engine. Then repeat the request with the same `Idempotency-Key`.", RetryAfter: 30},
	{Err: engine.ErrNoLeader, Slug: "no_leader", Status: http.StatusServiceUnavailable, Title: "The cluster has no leader",
		Means: "The servers of the Neo4j cluster answer, but none accepts writes: they are electing a leader, or have no quorum. The request may have been carried out.",
		Do:    "Repeat the request with the same `Idempotency-Key` after the time in `Retry-After`. If it persists, start the missing servers of the cluster.", RetryAfter: 5},
	{Err: engine.ErrReadOnly, Slug: "read_only", Status: http.StatusServiceUnavailable, Title: "The database is read-only",
		Means: "The database is configured read-only. Nothing was written. Acknowledged writes are kept, and sessions continue when it accepts writes.",
		Do:    "On Neo4j remove the database from `server.databases.read_only`. Then repeat the request with the same `Idempotency-Key`.", RetryAfter: 30},
	{Err: engine.ErrUnavailable, Slug: "unavailable", Status: http.StatusServiceUnavailable, Title: "Temporarily unavailable",
		Means: "The database cannot be reached, or did not answer in time. The request may have been carried out.",
		Do:    "Repeat the request with the same `Idempotency-Key` after the time in `Retry-After`.", RetryAfter: 1},
	{Err: engine.ErrUnknownOutcome, Slug: "unavailable", Status: http.StatusServiceUnavailable},
	{Err: errRequestIsSlow, Slug: "unavailable", Status: http.StatusServiceUnavailable},
}

// problemRowOf is the row that describes a slug; an unknown one is a fault of the program.
func problemRowOf(slug string) *problemRow {
	for i := range problemTable {
		if problemTable[i].Slug == slug && problemTable[i].Title != "" {
			return &problemTable[i]
		}
	}
	panic("api: no problem is called " + slug)
}

// ErrorOf returns the error that a problem with this slug answers, as clients see it; nil for an
// unknown slug.
func ErrorOf(slug string) error {
	for i := range problemTable {
		if problemTable[i].Slug == slug {
			return problemTable[i].Err
		}
	}
	return nil
}

// StatusOf returns the HTTP status that answers an error; 500 for one that the API does not know.
func StatusOf(err error) int {
	for i := range problemTable {
		if errors.Is(err, problemTable[i].Err) {
			return problemRowOf(problemTable[i].Slug).Status
		}
	}
	return http.StatusInternalServerError
}
