package engine

import (
	"encoding/json"
	"log/slog"
	"runtime"
	"time"

	"github.com/google/uuid"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/retention"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Options configure an Engine. The zero value works.
type Options struct {
	Log *slog.Logger // slog.Default by default

	Name        string         // the engine in lease_owner; host and process id by default
	LeaseFor    time.Duration  // 15 s: how long a dead engine blocks a session
	PollEvery   time.Duration  // 1 s: how often the engine looks for due work without being woken
	InboxEvery  time.Duration  // 250 ms: how often the engine looks for new requests to sessions that wait for calls
	ReadEvery   time.Duration  // 500 ms: age at which a running session reads its definition again
	MaxSessions int            // 1,000: sessions that run at once, a quarter more if they are of several workflows; further ones stay due
	MaxWaiting  int            // 4,000: additional sessions held that only wait for a slot of a function
	MaxLate     time.Duration  // 1 min: while due work is later than this, starts without a place are refused with ErrOverloaded
	Effects     int            // 256: effects of this engine at once
	CallsAtOnce int            // 32: calls of one function at once, where its Spec has no limit
	CallsOf     map[string]int // calls of single functions at once, by name or alias; overrides Spec.Limit
	CallTimeout time.Duration  // 5 min: one attempt of a call, unless the step or Spec sets it
	Writers     int            // commits under way at once; number of cores
	StopGrace   time.Duration  // 5 s: how long Run lets calls finish when it has to stop
	NewID       func() string  // UUID v7
	SessionLimits
	// Variables returns the values that references read as @{SESSION_ID}.vars.NAME, unless a
	// step or value of the session is called vars; nil means none. It is called often and must
	// be fast.
	Variables func() map[string]json.RawMessage
	// Retention says how long sessions stay after they have ended; for ever by default.
	Retention retention.Options
	// Relay carries notices to and from the other engines on the store; nil for none.
	Relay Relay
}

// SessionLimits bound what one session may do and hold. What is above them is an error of the
// step, or refused at the start.
type SessionLimits struct {
	StepsAtOnce int // 32: effects under way at once
	MaxSteps    int // 1,000: visits between two pauses
	MaxChildren int // 10,000: sessions below one root session, counted over all depths
	MaxInput    int // 4 MB: the input of a step with its references resolved
	MaxOutput   int // 1 MB: the output of a step
	MaxState    int // 4 MB: the JSON text of the state
	MaxInputs   int // 1 MB: the inputs that a session starts with
	MaxPrompt   int // 100 KB: the prompt of a question
}

func (o Options) withDefaults() Options {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	number := func(n *int, v int) {
		if *n == 0 {
			*n = v
		}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Name == "" {
		o.Name = processName()
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	set(&o.LeaseFor, 15*time.Second)
	set(&o.PollEvery, time.Second)
	set(&o.InboxEvery, 250*time.Millisecond)
	set(&o.ReadEvery, 500*time.Millisecond)
	set(&o.CallTimeout, 5*time.Minute)
	set(&o.StopGrace, 5*time.Second)
	number(&o.MaxSessions, 1000)
	number(&o.MaxWaiting, 4000)
	set(&o.MaxLate, time.Minute)
	number(&o.StepsAtOnce, 32)
	number(&o.Effects, 256)
	number(&o.CallsAtOnce, 32)
	number(&o.MaxSteps, 1000)
	number(&o.MaxChildren, 10_000)
	number(&o.MaxInput, 4<<20)
	number(&o.Writers, max(2, runtime.NumCPU()))
	number(&o.MaxOutput, 1<<20)
	number(&o.MaxState, 4<<20)
	number(&o.MaxInputs, 1<<20)
	number(&o.MaxPrompt, 100<<10)
	return o
}

// newID returns a UUID v7: ids sort by the time they were made.
func newID() string {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.NewString()
	}
	return id.String()
}

// lease is a fresh lease of an engine.
func (o *Options) lease() store.Lease {
	return store.Lease{Token: o.NewID(), Owner: o.Name, For: o.LeaseFor}
}

// limits are the options that sessions obey.
func (o *Options) limits() session.Limits {
	return session.Limits{
		Log: o.Log, Name: o.Name, LeaseFor: o.LeaseFor, ReadEvery: o.ReadEvery, CallTimeout: o.CallTimeout, StopGrace: o.StopGrace,
		StepsAtOnce: o.StepsAtOnce, MaxSteps: o.MaxSteps, MaxChildren: o.MaxChildren, MaxInput: o.MaxInput, MaxOutput: o.MaxOutput,
		MaxState: o.MaxState, MaxPrompt: o.MaxPrompt, NewID: o.NewID, Variables: o.Variables,
	}
}
