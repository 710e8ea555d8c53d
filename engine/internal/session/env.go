package session

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/commit"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// An Env holds what all sessions of one engine share.
type Env struct {
	Limits
	Host
	Store       store.Store
	Registry    *function.Registry
	Definitions Definitions
	Committer   *commit.Committer
	ID          string // of this engine among those that share the store

	clock    clockOffset // as last measured, for sessions that this engine does not hold
	measured atomic.Bool // clock has been measured
	descent  descent
	refusals refusals
}

// Now estimates the store's clock, from its newest reading if ClockKnown.
func (e *Env) Now() time.Time { return time.Now().Add(e.clock.get()) }

// ClockKnown reports whether a checkpoint of this engine has shown the store's clock.
func (e *Env) ClockKnown() bool { return e.measured.Load() }

// Limits are the engine options that its sessions obey. See engine.Options.
type Limits struct {
	Log         *slog.Logger
	Name        string
	LeaseFor    time.Duration
	ReadEvery   time.Duration
	CallTimeout time.Duration
	StopGrace   time.Duration
	StepsAtOnce int
	MaxSteps    int
	MaxChildren int
	MaxInput    int
	MaxOutput   int
	MaxState    int
	MaxPrompt   int
	NewID       func() string
	Variables   func() map[string]json.RawMessage
}

// A Host is the engine as its sessions see it.
type Host interface {
	// Slot waits for a slot for one call of a function, made for a session; the returned func gives it back.
	Slot(ctx context.Context, function, session, workflow string, person bool) (func(), error)
	// ConcurrencyKey returns the value of the workflow's concurrency key for a new session that begins in this state.
	ConcurrencyKey(session, workflow string, begun *state.State) string
	// WakeUp has the engine look for due work now.
	WakeUp()
	// DueAt schedules a look for due work at a time; offset is the store's clock minus this engine's clock.
	DueAt(at time.Time, offset time.Duration)
	// Poke notifies the runner of a session that its inbox has something new.
	Poke(session string)
	// LeaveAlone keeps this engine from claiming a session that it has left to other engines.
	LeaveAlone(session string)
	// Publish sends a provisional event to subscribers.
	Publish(ev event.Event)
	// PublishAll sends the events of a written checkpoint to subscribers. rested is the session as
	// a checkpoint that gave up the lease has left it, nil for any other checkpoint. It has no
	// State if it is not known in full: an earlier sending of the checkpoint was written.
	PublishAll(session string, version int64, events []event.Noted, rested *store.SessionRecord)
}

// A Seat is one session's share of its engine's capacity.
type Seat interface {
	// Idle reports to the engine whether the session only waits for its calls.
	Idle(idle bool)
	// Calls reports that a call has taken a slot (1) or has ended (-1).
	Calls(change int)
}

// Definitions reads compiled workflow definitions.
type Definitions interface {
	// Read reads a definition from the store, for a session that began at entry.
	Read(ctx context.Context, workflow, entry string) (*graph.Definition, error)
	// Recent returns a definition read at most age ago.
	Recent(ctx context.Context, workflow string, age time.Duration) (*graph.Definition, error)
}

const (
	definitionAge = time.Second // maximum age of the definition used to read a child's result
	maxPage       = 500         // records per read
	lackFor       = time.Minute // how long after its last announcement another engine still counts as present
)

// Keys of structured logs.
const (
	logSession  = "session"
	logStep     = "step"
	logWorkflow = "workflow"
	logFunction = "function"
	logError    = "error"
)

func (l *Limits) variables(step string, index int) (json.RawMessage, bool, error) {
	if step != graph.VariablesName || l.Variables == nil || index > 0 || index < -1 {
		return nil, false, nil
	}
	value, err := jsontext.Marshal(l.Variables())
	return value, err == nil, err
}
