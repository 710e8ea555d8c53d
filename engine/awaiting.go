package engine

import (
	"encoding/json"
	"sort"
	"time"
)

// questions returns the open questions, those that wait longest first.
func (s *State) questions() []Waiting {
	var list []Waiting
	for id, q := range s.engine.Asks {
		if s.Status(id) == StatusAwaitingInput {
			list = append(list, Waiting{Step: id, Visit: q.Visit, Ask: q.Ask, Kind: q.Kind, Since: q.Since})
		}
	}
	live := s.engine.Live
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

// awaiting is SESSION.awaiting and awaiting_since: nil and zero when nothing waits.
func (s *State) awaiting() ([]byte, time.Time) {
	list := s.questions()
	if len(list) == 0 {
		return nil, time.Time{}
	}
	text, _ := json.Marshal(list)
	return text, milli(list[0].Since)
}
