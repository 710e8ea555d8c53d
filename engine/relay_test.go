package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// A hub connects the relays of several engines in one process.
type hub struct {
	mu     sync.Mutex
	relays []*hubRelay
	seen   []string // data of all notices
	lose   func(n int) bool
	away   bool
}

type hubRelay struct {
	h         *hub
	listeners map[string][]*hubListener
}

type hubListener struct {
	hear   func([]byte)
	missed func()
}

func (h *hub) relay() *hubRelay {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := &hubRelay{h, map[string][]*hubListener{}}
	h.relays = append(h.relays, r)
	return r
}

// Send is engine.Relay.
func (r *hubRelay) Send(topic string, data []byte) {
	h := r.h
	h.mu.Lock()
	h.seen = append(h.seen, string(data))
	var to []*hubListener
	for _, other := range h.relays {
		if other != r && !h.away && (h.lose == nil || !h.lose(len(h.seen))) {
			to = append(to, other.listeners[topic]...)
		}
	}
	h.mu.Unlock()
	for _, l := range to {
		l.hear(data)
	}
}

// Listen is engine.Relay.
func (r *hubRelay) Listen(topic string, hear func([]byte), missed func()) func() {
	r.h.mu.Lock()
	defer r.h.mu.Unlock()
	l := &hubListener{hear, missed}
	r.listeners[topic] = append(r.listeners[topic], l)
	return func() {
		r.h.mu.Lock()
		defer r.h.mu.Unlock()
		r.listeners[topic] = slices.DeleteFunc(r.listeners[topic], func(x *hubListener) bool { return x == l })
	}
}

// State is engine.Relay.
func (r *hubRelay) State() engine.RelayState { return engine.RelayState{Kind: "hub", Connected: true} }

// A pair is two engines on one store whose relays are connected.
type pair struct {
	*shift
	hub  *hub
	a, b *engine.Engine
}

func pairs(t *testing.T, test func(p *pair)) {
	shifts(t, func(s *shift) {
		p := &pair{shift: s, hub: &hub{}}
		p.a = s.slow("a", 8, engine.Options{Relay: p.hub.relay()})
		p.b = s.slow("b", 8, engine.Options{Relay: p.hub.relay()})
		test(p)
	})
}

// chat stores a workflow that says something, asks, and makes a slow call.
func (p *pair) chat() {
	p.Helper()
	w := &engine.Workflow{ID: "chat",
		Steps: []engine.Step{{ID: "root", Function: "say", Input: `{"text": "my secret is 42"}`}, {ID: "ask", Function: "utils.request.request", Input: `{"prompt": "What is yours?"}`},
			{ID: "call", Function: "ship"}, {ID: "bye", Function: "say", Input: `{"text": "farewell"}`}},
		Paths: []engine.Path{next("root", "ask"), next("ask", "call"), next("call", "bye")}}
	if _, err := p.a.Put(p.Context(), w, engine.PutOptions{Force: true}); err != nil {
		p.Fatal(err)
	}
}

// heard is what a subscriber was told, and when.
type heard struct {
	mu   sync.Mutex
	list []string
	at   []time.Time
}

func (h *heard) texts() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.list)
}

// listen notes the events of a session, in a form that does not depend on who tells them.
func (p *pair) listen(e *engine.Engine, session string) *heard {
	p.Helper()
	events, err := e.Subscribe(p.Context(), session, "")
	if err != nil {
		p.Fatal(err)
	}
	h := &heard{}
	go func() {
		for ev := range events {
			data, _ := json.Marshal(ev.Data)
			if ev.Type == engine.EventSnapshot {
				data = nil
			}
			h.mu.Lock()
			h.list, h.at = append(h.list, string(ev.Type)+" "+ev.ID+" "+string(data)), append(h.at, time.Now())
			h.mu.Unlock()
		}
	}()
	synctest.Wait()
	return h
}

// play starts a chat at a, answers it through b, and waits for its end.
func (p *pair) play(id string) (atA, atB *heard) {
	p.Helper()
	p.chat()
	if _, err := p.a.Start(p.Context(), engine.StartRequest{ID: id, Workflow: "chat"}); err != nil {
		p.Fatal(err)
	}
	synctest.Wait()
	atA, atB = p.listen(p.a, id), p.listen(p.b, id)
	time.Sleep(2300 * time.Millisecond) // not when a watcher looks at the store: it looks once a second
	if _, err := p.a.Answer(p.Context(), engine.AnswerRequest{Session: id, Response: json.RawMessage(`"none"`)}); err != nil {
		p.Fatal(err)
	}
	time.Sleep(20 * time.Second)
	return atA, atB
}

// A subscriber at another engine is told the same, in the same order and at the same time, as
// one at the engine that runs the session, also that a step has begun.
func TestEventsAtAnotherEngine(t *testing.T) {
	pairs(t, func(p *pair) {
		atA, atB := p.play("s")
		if a, b := atA.texts(), atB.texts(); !slices.Equal(a, b) {
			t.Errorf("at a:\n%s\nat b:\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
		if all := strings.Join(atB.texts(), "\n"); !strings.Contains(all, `"step":"call","visit":1,"status":"active"`) {
			t.Errorf("b was not told that the call began:\n%s", all)
		}
		for i, at := range atB.at {
			if late := at.Sub(atA.at[i]); late > 250*time.Millisecond {
				t.Errorf("%s came %s late", atB.list[i], late)
			}
		}
		for _, data := range p.hub.seen {
			for _, secret := range []string{"42", "yours", "none", "farewell"} {
				if strings.Contains(data, secret) {
					t.Errorf("a notice holds what people and steps said: %s", data)
				}
			}
		}
	})
}

// Notices that are lost cost time, and no event that the history has.
func TestLostNotices(t *testing.T) {
	for seed := range 8 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			pairs(t, func(p *pair) {
				p.hub.lose = func(n int) bool { return (n*2654435761>>(seed+3))%2 == 0 }
				_, atB := p.play("s")
				p.complete(atB)
			})
		})
	}
	t.Run("all", func(t *testing.T) {
		pairs(t, func(p *pair) {
			p.hub.away = true
			_, atB := p.play("s")
			p.complete(atB)
		})
	})
}

// complete checks that a subscriber was told of every end of a step and every message, once, and of the session's end.
func (p *pair) complete(h *heard) {
	p.Helper()
	all := strings.Join(h.texts(), "\n")
	for _, want := range []string{`"step":"ask","visit":1,"status":"complete"`, `"step":"call","visit":1,"status":"complete"`,
		`"step":"bye","visit":1,"status":"complete"`, `"content":"none"`, `"content":"farewell"`, "end "} {
		if n := strings.Count(all, want); n != 1 {
			p.Errorf("%d times %s in:\n%s", n, want, all)
		}
	}
}

// A session that goes from one engine to another loses no event for those who watch it at the
// engine that takes it over, with and without a relay.
func TestEventsOfASessionThatMoves(t *testing.T) {
	for _, away := range []bool{false, true} {
		t.Run(fmt.Sprint("away ", away), func(t *testing.T) {
			shifts(t, func(s *shift) {
				p := &pair{shift: s, hub: &hub{away: away}}
				p.a = s.slow("a", 1, engine.Options{Relay: p.hub.relay(), PollEvery: 10 * time.Millisecond})
				p.b = s.slow("b", 1, engine.Options{Relay: p.hub.relay(), PollEvery: 10 * time.Millisecond})
				w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "ship"}, {ID: "second", Function: "ship"}, {ID: "third", Function: "ship"}},
					Paths: []engine.Path{next("root", "second"), next("second", "third")}}
				if _, err := p.a.Put(s.Context(), w, engine.PutOptions{Force: true}); err != nil {
					t.Fatal(err)
				}
				var watched []*heard
				for i := range 6 {
					id := fmt.Sprint("s", i)
					if _, err := p.a.Start(s.Context(), engine.StartRequest{ID: id, Workflow: "w"}); err != nil {
						t.Fatal(err)
					}
					watched = append(watched, p.listen(p.a, id), p.listen(p.b, id))
				}
				s.finish(p.a, 6)
				time.Sleep(5 * time.Second)
				if s.calls["b"] == 0 {
					t.Error("no session moved")
				}
				for i, h := range watched {
					all := strings.Join(h.texts(), "\n")
					for _, step := range []string{"root", "second", "third"} {
						if n := strings.Count(all, `"step":"`+step+`","visit":1,"status":"complete"`); n != 1 {
							t.Errorf("subscriber %d: %d times the end of %s in:\n%s", i, n, step, all)
						}
					}
					if !strings.Contains(all, "end ") {
						t.Errorf("subscriber %d was not told the end:\n%s", i, all)
					}
				}
			})
		})
	}
}

// A session that an engine gives back as it stops is soon taken by another one. Who watches it there is
// told also what the first engine wrote last.
func TestEventsAcrossAStop(t *testing.T) {
	shifts(t, func(s *shift) {
		a := s.slow("a", 1, engine.Options{})
		p := &pair{shift: s}
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "ship"}, {ID: "second", Function: "ship"}}, Paths: []engine.Path{next("root", "second")}}
		if _, err := a.Put(s.Context(), w, engine.PutOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Start(s.Context(), engine.StartRequest{ID: "s", Workflow: "w"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		p.b = s.slow("b", 1, engine.Options{PollEvery: 10 * time.Millisecond})
		atB := p.listen(p.b, "s")
		time.Sleep(4500 * time.Millisecond) // the call ends 200 ms later, before the next look of the watcher
		s.stops[0]()
		s.stops = s.stops[1:]
		time.Sleep(20 * time.Second)
		all := strings.Join(atB.texts(), "\n")
		for _, want := range []string{`"step":"root","visit":1,"status":"complete"`, `"step":"second","visit":1,"status":"complete"`, "end "} {
			if n := strings.Count(all, want); n != 1 {
				t.Errorf("%d times %s in:\n%s", n, want, all)
			}
		}
	})
}

// An answer that another engine takes reaches a session that waits for a call at once, and Wait at
// another engine returns at once.
func TestRequestsAtAnotherEngine(t *testing.T) {
	pairs(t, func(p *pair) {
		p.session(p.a, "s", "ship")
		time.Sleep(2500 * time.Millisecond)
		began := time.Now()
		if _, err := p.b.Act(p.Context(), engine.Action{Session: "s", Kind: engine.RequestCancel}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
		defer cancel()
		for {
			rec, err := p.store.Session(ctx, "s")
			if err != nil {
				t.Fatal(err)
			}
			if rec.Status == engine.StatusCancelled {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(began); took > 20*time.Millisecond {
			t.Errorf("the cancel took %s", took)
		}
		p.session(p.a, "t", "ship")
		done, err := p.b.Wait(ctx, "t")
		if err != nil || done.Status != engine.StatusComplete {
			t.Fatalf("%+v %v", done, err)
		}
		if late := time.Since(done.UpdatedAt); late > 20*time.Millisecond {
			t.Errorf("Wait returned %s late", late)
		}
	})
}
