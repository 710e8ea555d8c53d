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
	errBatchBusy     = errors.New("batch is at work")
	errStepExists    = errors.New("step exists")
	errPathExists    = errors.New("path exists")
	errPathRefused   = errors.New("path refused")
	errNoVersion     = errors.New("If-Match is missing")
	errInvalid       = errors.New("request does not fit")
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
	{Err: engine.ErrBadRequest, Slug: "bad_request", Status: http.StatusBadRequest, Title: "The request cannot be read",
		Means: "The body is not JSON, not UTF-8 or nested deeper than 200 levels, or a value in it makes no sense; `errors` names the places.",
		Do:    "Correct the request. Nothing has changed."},
	{Err: errUnauthorized, Slug: "unauthorized", Status: http.StatusUnauthorized, Title: "A token is needed",
		Means: "This server was started with a token and the request has none or another one.",
		Do:    "Send `Authorization: Bearer TOKEN` or `X-API-KEY: TOKEN`; a browser may use any name with the token as password."},
	{Err: errForbidden, Slug: "forbidden", Status: http.StatusForbidden, Title: "Not from here",
		Means: "A browser sent the request from a page of another origin, or the `Host` header names a host this server does not serve (it listens on loopback only, so that no web page can reach it under a name of its own).",
		Do:    "Use the address the server prints, or start it with the host's name allowed."},
	{Err: errNoRoute, Slug: "not_found", Status: http.StatusNotFound, Title: "No such address",
		Means: "There is no route of this path.",
		Do:    "See `/openapi.json` for what there is."},
	{Err: engine.ErrSessionNotFound, Slug: "session_not_found", Status: http.StatusNotFound, Title: "No such session",
		Means: "There is no session of this id; it may have been deleted.",
		Do:    "List sessions with `GET /api/v1/sessions`."},
	{Err: engine.ErrWorkflowNotFound, Slug: "workflow_not_found", Status: http.StatusNotFound, Title: "No such workflow",
		Means: "There is no workflow of this id; `exists` lists those there are.",
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
		Means: "There is no profile of this name; `exists` lists those there are.",
		Do:    "Set it with `PUT /api/v1/profiles/{profile}`, or use one of `exists`."},
	{Err: vault.ErrVariableNotFound, Slug: "variable_not_found", Status: http.StatusNotFound, Title: "No such variable",
		Means: "There is no variable of this name; `exists` lists those there are.",
		Do:    "Set it with `PUT /api/v1/variables/{variable}`, or use one of `exists`."},
	{Err: vault.ErrSecretNotFound, Slug: "secret_not_found", Status: http.StatusNotFound, Title: "No such secret",
		Means: "There is no secret of this name; `exists` lists those there are.",
		Do:    "Set it with `PUT /api/v1/secrets/{secret}`, or use one of `exists`."},
	{Err: errMethod, Slug: "method_not_allowed", Status: http.StatusMethodNotAllowed, Title: "Not with this method",
		Means: "The route exists, but not for this method; `Allow` lists those it has.",
		Do:    "Use a method of `Allow`."},
	{Err: engine.ErrNoOpenQuestion, Slug: "no_open_question", Status: http.StatusConflict, Title: "Nothing to answer",
		Means: "The session, or the step named, does not wait for an answer now.",
		Do:    "Look at the session's `awaiting`. It may still be running: `?wait=` on the request before returns when it asks."},
	{Err: engine.ErrAlreadyAnswered, Slug: "already_answered", Status: http.StatusConflict, Title: "Answered already",
		Means: "Another answer to the same question came first; `accepted` is the one that counts. The same answer again is not an error.",
		Do:    "Show `accepted`. To answer a later question of the step, name its visit."},
	{Err: engine.ErrSessionExists, Slug: "session_exists", Status: http.StatusConflict, Title: "The session's id is taken",
		Means: "A session of the id given exists already.",
		Do:    "Leave `id` out to get a fresh one. To make a start repeatable use `Idempotency-Key`."},
	{Err: engine.ErrSessionBusy, Slug: "session_busy", Status: http.StatusConflict, Title: "The session is at work",
		Means: "Somebody advances the session just now, so its state cannot be replaced; or it has not ended and was to be deleted.",
		Do:    "Pause it or wait until it rests, then try again; to delete it, cancel it first or use `?cancel=true`."},
	{Err: engine.ErrLeaseLost, Slug: "session_busy", Status: http.StatusConflict},
	{Err: store.ErrDutyTaken, Slug: "prune_busy", Status: http.StatusConflict, Title: "Sessions are being removed already",
		Means: "An engine or a command removes sessions just now. Only one does so at a time, else a session could be archived twice.",
		Do:    "Try again when it has ended, or after half a minute if it was cut off.", RetryAfter: 30},
	{Err: errBatchBusy, Slug: "batch_busy", Status: http.StatusConflict, Title: "The batch is at work",
		Means: "The batch is worked on just now, so it cannot be deleted.",
		Do:    "Stop it with `POST …/stop` or wait until it is complete, then delete it."},
	{Err: engine.ErrSessionEnded, Slug: "session_ended", Status: http.StatusConflict, Title: "The session has ended",
		Means: "The session is complete or cancelled and cannot do this any more.",
		Do:    "Start another one."},
	{Err: engine.ErrSignalsFull, Slug: "signals_full", Status: http.StatusConflict, Title: "Too many signals wait",
		Means: "The session keeps as many signals that no step waits for yet as it may; `detail` gives the limit. None of them is dropped for a newer one.",
		Do:    "Send the signal again once a step waits for it (`awaiting` lists the step with kind `signal`)."},
	{Err: access.ErrNotFound, Slug: "token_not_found", Status: http.StatusNotFound, Title: "No such token",
		Means: "There is no token of this name; it may have been revoked.",
		Do:    "List tokens with `GET /api/v1/tokens`."},
	{Err: access.ErrExists, Slug: "token_exists", Status: http.StatusConflict, Title: "The token's name is taken",
		Means: "A token of the name given exists already.",
		Do:    "Revoke it, or give another name."},
	{Err: access.ErrInvalid, Slug: "token_invalid", Status: http.StatusUnprocessableEntity, Title: "The token cannot be made",
		Means: "A scope is unknown, the name has other characters than letters, digits, `.`, `_` and `-`, or a limit is given to `admin` or `run-code`.",
		Do:    "Correct what `detail` names."},
	{Err: errNoTokens, Slug: "no_tokens", Status: http.StatusConflict, Title: "No file of tokens",
		Means: "The server keeps no tokens: its store is in memory, or it was started without a token.",
		Do:    "Start the server with `--token`, and with a store that is a file or Neo4j, or set `$STEPGRAPH_TOKENS`."},
	{Err: vault.ErrFixed, Slug: "fixed_by_configuration", Status: http.StatusConflict, Title: "Set by the configuration file",
		Means: "The configuration file of the engine has an entry of this name, which comes before whatever the API would set.",
		Do:    "Change it in the file and start the engine again, or use another name."},
	{Err: errStepExists, Slug: "step_exists", Status: http.StatusConflict, Title: "The step's id is taken",
		Means: "The workflow has a step of this id already.",
		Do:    "Change it with `PATCH`, or choose another id."},
	{Err: errPathExists, Slug: "path_exists", Status: http.StatusConflict, Title: "The path's id is taken",
		Means: "The workflow has a path of this id already.",
		Do:    "Change it with `PATCH`, or choose another id."},
	{Err: errPathRefused, Slug: "path_refused", Status: http.StatusUnprocessableEntity, Title: "The system the workflow came from has no such connection",
		Means: "The workflow was imported, and its system connects no node with itself, closes no circle with edges, and has rules for handles. The detail says which.",
		Do:    "Connect it as that system does: the message says how. A workflow of your own has no such rules."},
	{Err: engine.ErrVersionMismatch, Slug: "version_mismatch", Status: http.StatusPreconditionFailed, Title: "Changed in the meantime",
		Means: "What is stored is no longer what `If-Match` names: somebody else changed it first.",
		Do:    "Read it again, make the change on that, and send it with its `ETag`."},
	{Err: errNoVersion, Slug: "version_required", Status: http.StatusPreconditionRequired, Title: "If-Match is missing",
		Means: "This edit replaces a state as a whole, so it must say which version it was made on.",
		Do:    "Send the `ETag` of the state you read as `If-Match`."},
	{Err: engine.ErrTooLarge, Slug: "too_large", Status: http.StatusRequestEntityTooLarge, Title: "Too large",
		Means: "The body, or a part of it, is above a limit that the detail names: bodies 1 MB (5 MB for states and workflows, 64 MB for batches), inputs and answers 1 MB, states 4 MB.",
		Do:    "Send less; keep large data elsewhere and refer to it."},
	{Err: errMediaType, Slug: "unsupported_media_type", Status: http.StatusUnsupportedMediaType, Title: "Wrong content type",
		Means: "The body's `Content-Type` is none that this route reads.",
		Do:    "Send `Content-Type: application/json`."},
	{Err: errInvalid, Slug: "request_invalid", Status: http.StatusUnprocessableEntity, Title: "The request does not fit",
		Means: "The body is JSON, but not what this route takes: a field is unknown, missing or of a wrong type; or a parameter is. `errors` names each place.",
		Do:    "Correct the places named. Nothing has changed."},
	{Err: vault.ErrInvalid, Slug: "request_invalid", Status: http.StatusUnprocessableEntity},
	{Err: engine.ErrNoEntry, Slug: "no_entry", Status: http.StatusUnprocessableEntity, Title: "Nowhere to start",
		Means: "The workflow has no step of the entry's name (`root` when none is given); `exists` lists its steps.",
		Do:    "Name one of `exists` as `entry`."},
	{Err: engine.ErrAnswerInvalid, Slug: "answer_invalid", Status: http.StatusUnprocessableEntity, Title: "The answer does not fit the question",
		Means: "The answer is none of the options, or does not fit the question's schema; `errors` points into `/response`. The question stays open.",
		Do:    "Answer as the question's `options` and `schema` say."},
	{Err: engine.ErrKeyReused, Slug: "key_reused", Status: http.StatusUnprocessableEntity, Title: "The key was used for something else",
		Means: "The `Idempotency-Key` came before with another body.",
		Do:    "Use a fresh key for each request, and the same key only to send the same request again."},
	{Err: engine.ErrWorkflowInvalid, Slug: "workflow_invalid", Status: http.StatusUnprocessableEntity, Title: "The workflow cannot be used",
		Means: "The file is of no known format, the workflow has errors (`errors` names each with its step or path and its code), or it cannot be written in the format asked for. Nothing was stored.",
		Do:    "Correct the places named, or send `force=true` to store a workflow with its errors."},
	{Err: engine.ErrOverloaded, Slug: "overloaded", Status: http.StatusTooManyRequests, Title: "Too much is waiting",
		Means: "Due sessions have waited for room in this engine for more than a minute, or large bodies take all the memory that is kept for them; `detail` says which. Nothing was stored.",
		Do:    "Try again after the time in `Retry-After`.", RetryAfter: 5},
	{Err: errQuota, Slug: "quota_exceeded", Status: http.StatusTooManyRequests, Title: "The token's quota is used up",
		Means: "The token may not send so many requests a second, start so many sessions an hour, or send so many bytes an hour; `detail` says which. Nothing has happened.",
		Do:    "Try again after the time in `Retry-After`, or ask for a larger quota.", RetryAfter: 1},
	{Err: errInternal, Slug: "internal", Status: http.StatusInternalServerError, Title: "Something is broken here",
		Means: "A fault of the server. Its log has the details.",
		Do:    "Report it with the time and the request. The same request with the same `Idempotency-Key` may be sent again."},
	{Err: errStoreFull, Slug: "store_full", Status: http.StatusInsufficientStorage, Title: "The store is full",
		Means: "The store is larger than `--max-store` allows. No session, workflow or batch is taken; open sessions go on and can be answered.",
		Do:    "Delete sessions that have ended, or raise `--max-store`.", RetryAfter: 60},
	{Err: engine.ErrNotOnThisStore, Slug: "not_on_this_store", Status: http.StatusNotImplemented, Title: "Not on this store",
		Means: "The store that this engine runs on cannot do it: graph queries need Neo4j.",
		Do:    "Run the engine on a store that can."},
	{Err: engine.ErrDiskFull, Slug: "disk_full", Status: http.StatusInsufficientStorage, Title: "The disk of the store is full",
		Means: "Nothing can be written. What was acknowledged before is kept, and sessions under way go on once there is room.",
		Do:    "Make room on the disk of the store. Then send the same request with the same `Idempotency-Key` again.", RetryAfter: 30},
	{Err: engine.ErrStoreDamaged, Slug: "store_damaged", Status: http.StatusInternalServerError, Title: "The store is damaged",
		Means: "What is stored cannot be read: pages of the file are damaged, or it is not a database.",
		Do:    "Stop all engines and restore a copy of the store."},
	{Err: engine.ErrSchema, Slug: "schema", Status: http.StatusServiceUnavailable, Title: "The database is of another version",
		Means: "The database lacks a migration that this version needs, or has one that this version does not work beside; `detail` has the numbers. Nothing was written.",
		Do:    "Run `stepgraph migrate`, or replace this engine by one of the newer version. Then send the same request with the same `Idempotency-Key` again.", RetryAfter: 30},
	{Err: engine.ErrNoLeader, Slug: "no_leader", Status: http.StatusServiceUnavailable, Title: "The cluster has no leader",
		Means: "The servers of the Neo4j cluster answer, and none of them takes writes: they are electing a leader, or too few of them are there for it. What was asked may have happened all the same.",
		Do:    "Send the same request with the same `Idempotency-Key` again after the time in `Retry-After`. If it stays so, start the missing servers of the cluster.", RetryAfter: 5},
	{Err: engine.ErrReadOnly, Slug: "read_only", Status: http.StatusServiceUnavailable, Title: "The database is read-only",
		Means: "The database answers and takes no writes, by its settings. Nothing was written. What was acknowledged before is kept, and sessions go on once it takes writes.",
		Do:    "On Neo4j take the database out of `server.databases.read_only`. Then send the same request with the same `Idempotency-Key` again.", RetryAfter: 30},
	{Err: engine.ErrUnavailable, Slug: "unavailable", Status: http.StatusServiceUnavailable, Title: "Not now",
		Means: "The database cannot be reached, or did not answer in time. What was asked may have happened all the same.",
		Do:    "Send the same request with the same `Idempotency-Key` again after the time in `Retry-After`.", RetryAfter: 1},
	{Err: engine.ErrUnknownOutcome, Slug: "unavailable", Status: http.StatusServiceUnavailable},
	{Err: errRequestIsSlow, Slug: "unavailable", Status: http.StatusServiceUnavailable},
}

// rowOf is the row that describes a slug; an unknown one is a fault of the program.
func rowOf(slug string) *problemRow {
	for i := range problemTable {
		if problemTable[i].Slug == slug && problemTable[i].Title != "" {
			return &problemTable[i]
		}
	}
	panic("api: no problem is called " + slug)
}
