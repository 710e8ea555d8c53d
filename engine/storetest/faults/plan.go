package faults

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A Fault is one way a call goes wrong.
type Fault int

// The ways.
const (
	// None: the call goes through.
	None Fault = iota
	// NotDone: the call is not carried out; the caller gets engine.ErrUnavailable.
	NotDone
	// Unanswered: the call is carried out, its answer is lost. The caller of a write gets
	// engine.ErrUnknownOutcome, that of a read engine.ErrUnavailable.
	Unanswered
	// Misreported: the call is carried out and the caller gets engine.ErrUnavailable, as if
	// it had not been. A store may not do that; a caller that survives it is safe from
	// stores that do.
	Misreported
)

func (f Fault) String() string {
	switch f {
	case None:
		return "none"
	case NotDone:
		return "not done"
	case Unanswered:
		return "unanswered"
	case Misreported:
		return "misreported"
	}
	return fmt.Sprintf("fault %d", int(f))
}

// A Call is one call of a method. Calls are numbered from 1, over all methods that may
// fail; Close is never one of them.
type Call struct {
	N      int
	Method string // "Commit"
	Write  bool
}

// A Plan says which calls fail. The zero value lets every call through.
type Plan struct {
	Seed uint64
	// NotDone, Unanswered and Misreported are rates between 0 and 1; together at most 1.
	NotDone     float64
	Unanswered  float64
	Misreported float64
	// Methods are those the rates hold for; nil means all.
	Methods []string
	// Calls are faults by number, whatever the rates and Methods say.
	Calls map[int]Fault
	// Pick, if set, decides before all else; it returns false to leave it to the rest.
	Pick func(Call) (Fault, bool)
	// Before and After are called around each call, from its goroutine; After with what the
	// wrapped store returned, or with the fault's error when the call was not carried out.
	// Either may call Die.
	Before func(Call)
	After  func(Call, error)
}

// fault decides about one call. It depends on nothing but the plan and the call.
func (p *Plan) fault(c Call) Fault {
	if p.Pick != nil {
		if f, ok := p.Pick(c); ok {
			return f
		}
	}
	if f, ok := p.Calls[c.N]; ok {
		return f
	}
	if p.Methods != nil && !slices.Contains(p.Methods, c.Method) {
		return None
	}
	at := rand.New(rand.NewPCG(p.Seed, uint64(c.N))).Float64()
	for _, rated := range []struct {
		rate  float64
		fault Fault
	}{{p.NotDone, NotDone}, {p.Unanswered, Unanswered}, {p.Misreported, Misreported}} {
		if at < rated.rate {
			return rated.fault
		}
		at -= rated.rate
	}
	return None
}

// err is what the caller gets.
func (f Fault) err(c Call) error {
	switch {
	case f == None:
		return nil
	case f == Unanswered && c.Write:
		return fmt.Errorf("%w: planned fault in call %d, %s", store.ErrUnknownOutcome, c.N, c.Method)
	}
	return fmt.Errorf("%w: planned fault in call %d, %s", store.ErrUnavailable, c.N, c.Method)
}
