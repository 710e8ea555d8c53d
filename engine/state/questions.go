package state

import (
	"encoding/json"
	"sort"
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
	var list []store.Waiting
	for id, q := range s.asks.asked {
		if s.Status(id) == store.StatusAwaitingInput {
			list = append(list, store.Waiting{Step: id, Visit: q.Visit, Ask: q.Ask, Kind: q.Kind, Since: q.Since})
		}
	}
	live := s.liveSteps.live
	order := func(step string) int64 {
		if l := live[step]; l != nil {
			return l.Order
		}
		return 0
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.Since != b.Since {
			return a.Since < b.Since
		}
		if order(a.Step) != order(b.Step) {
			return order(a.Step) < order(b.Step)
		}
		return a.Step < b.Step
	})
	return list
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
