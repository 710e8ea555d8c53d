package session

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/commit"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// An Env is what all sessions of one engine share.
type Env struct {
	Limits
	Host
	Store       store.Store
	Registry    *function.Registry
	Definitions Definitions
	Committer   *commit.Committer
	ID          string // of the engine among those on the store

	descent  descent
	refusals refusals
}

// Limits are the options of an engine that its sessions obey. See engine.Options.
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
	// Slot waits for a slot for one call of a function; the returned func gives it back.
	Slot(ctx context.Context, function, workflow string, person bool) (func(), error)
	// ConcurrencyKey is the value by which the limits of a workflow hold for a new session that begins in this state.
	ConcurrencyKey(session, workflow string, begun *state.State) string
	// WakeUp has the engine look for due work now.
	WakeUp()
	// DueAt has it look again when a session falls due; offset is the store's clock less ours.
	DueAt(at time.Time, offset time.Duration)
	// Poke tells the runner of a session that its inbox has something new.
	Poke(session string)
	// LeaveAlone keeps the engine from claiming a session that it has left to others.
	LeaveAlone(session string)
	// Publish sends a provisional event to those who watch.
	Publish(ev event.Event)
	// PublishAll sends the events of a checkpoint that is written.
	PublishAll(session string, version int64, events []event.Noted, rested bool)
}

// A Seat is one session's part of the room that its engine has.
type Seat interface {
	// Idle says whether the session only waits for its calls.
	Idle(idle bool)
	// Calls says that a call has got a slot (1) or has ended (-1).
	Calls(change int)
}

// Definitions reads workflows, made ready to run.
type Definitions interface {
	// Read reads a definition anew, for a session that began at entry.
	Read(ctx context.Context, workflow, entry string) (*graph.Definition, error)
	// Recent returns a definition that is at most as old as age.
	Recent(ctx context.Context, workflow string, age time.Duration) (*graph.Definition, error)
}

const (
	definitionAge = time.Second // of a definition by which a child's result is read
	maxPage       = 500         // records of one read
	lackFor       = time.Minute // as long after its last announcement an engine may be back
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
