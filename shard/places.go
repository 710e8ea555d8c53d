package shard

import (
	"container/list"
	"strings"
	"sync"
)

// rememberedSessions is how many families of sessions a Store remembers the home of: about 200
// bytes each.
const rememberedSessions = 200_000

// places remembers where families of sessions are, the most recently used ones.
type places struct {
	mu    sync.Mutex
	room  int
	byID  map[string]*list.Element
	order *list.List // of place, the most recently used first
}

type place struct {
	family string
	home   *database
}

func newPlaces(room int) *places {
	return &places{room: room, byID: map[string]*list.Element{}, order: list.New()}
}

// familyOf is the id of the topmost session of a family: ids of child sessions begin with that of
// their parent and a slash.
func familyOf(id string) string {
	family, _, _ := strings.Cut(id, "/")
	return family
}

func (p *places) get(id string) *database {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.byID[familyOf(id)]
	if e == nil {
		return nil
	}
	p.order.MoveToFront(e)
	return e.Value.(place).home
}

func (p *places) put(id string, home *database) {
	family := familyOf(id)
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.byID[family]; e != nil {
		e.Value = place{family, home}
		p.order.MoveToFront(e)
		return
	}
	p.byID[family] = p.order.PushFront(place{family, home})
	if p.order.Len() > p.room {
		last := p.order.Back()
		delete(p.byID, last.Value.(place).family)
		p.order.Remove(last)
	}
}

func (p *places) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.byID[familyOf(id)]; e != nil {
		delete(p.byID, familyOf(id))
		p.order.Remove(e)
	}
}
