package state

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/tidwall/gjson"
)

// IsOpen reports whether a question is the one its step waits with.
func (s *State) IsOpen(step string, ref AskRef) bool {
	q := s.asks.asked[step]
	return q != nil && AskRef{q.Visit, q.Ask} == ref && s.Status(step) == store.StatusAwaitingInput
}

// OpenAsks are the open questions by step; nil if there are none.
func (s *State) OpenAsks() (open map[string]AskRef) {
	for step, q := range s.asks.asked {
		if s.Status(step) == store.StatusAwaitingInput {
			open = put(open, step, AskRef{q.Visit, q.Ask})
		}
	}
	return open
}

// Waiting returns the open questions, those that wait longest first.
func (s *State) Waiting() []store.Waiting {
	var list []waitingStep
	for id, q := range s.asks.asked {
		if s.Status(id) == store.StatusAwaitingInput {
			list = append(list, s.waitingStep(id, q))
		}
	}
	slices.SortFunc(list, waitingStep.compare)
	out := make([]store.Waiting, len(list))
	for i := range list {
		out[i] = list[i].Waiting
	}
	return out
}

// LongestWaiting returns the question that waits longest among those that match. It is for
// requests that look for one question: a flood of them would sort all questions each time.
func (s *State) LongestWaiting(matches func(step string, q *Ask) bool) (step string, longest *Ask) {
	var first waitingStep
	for id, q := range s.asks.asked {
		if !matches(id, q) || s.Status(id) != store.StatusAwaitingInput {
			continue
		}
		if w := s.waitingStep(id, q); longest == nil || w.compare(first) < 0 {
			first, longest = w, q
		}
	}
	return first.Step, longest
}

// A waitingStep is an open question with the order in which its step was activated.
type waitingStep struct {
	store.Waiting
	order int64
}

func (w waitingStep) compare(other waitingStep) int {
	return cmp.Or(cmp.Compare(w.Since, other.Since), cmp.Compare(w.order, other.order), cmp.Compare(w.Step, other.Step))
}

func (s *State) waitingStep(id string, q *Ask) waitingStep {
	w := waitingStep{Waiting: store.Waiting{Step: id, Visit: q.Visit, Ask: q.Ask, Kind: q.Kind, Since: q.Since}}
	if l := s.liveSteps.live[id]; l != nil {
		w.order = l.Order
	}
	return w
}

// Awaiting is SESSION.awaiting and awaiting_since: nil and zero when nothing waits.
func (s *State) Awaiting() ([]byte, time.Time) {
	list := s.Waiting()
	if len(list) == 0 {
		return nil, time.Time{}
	}
	text, _ := json.Marshal(list)
	return text, Time(list[0].Since)
}

// AdoptAsk gives a question that LUNA or a person left in a state its entry: the
// prompt is what the step put out last.
func (s *State) AdoptAsk(id string, visit int, c *Counters, now int64) *Ask {
	q := &Ask{Kind: function.AskQuestion, Visit: visit, Ask: c.NextAsk(id, visit), Since: now, Started: now}
	if newest, ok := s.KeptOutput(id, -1); ok {
		entry := gjson.ParseBytes(newest)
		q.Prompt = entry.Get("prompt").String()
		_ = json.Unmarshal([]byte(entry.Get("options").Raw), &q.Options) // options of another shape are not shown
	}
	if at := s.Step(id).LastExecuted; at > 0 {
		q.Since = at
	}
	s.OpenAsk(id, q)
	return q
}
