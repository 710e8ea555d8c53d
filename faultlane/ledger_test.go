package faultlane

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// A ledger is the world outside: a server of remote functions that writes down each call.
// Some calls it answers late, some it refuses for now, some it hangs up on after they were
// written down; which ones depends on the seed, the key and how often it came.
type ledger struct {
	seed   uint64
	pulse  *pulse
	server *httptest.Server

	mu    sync.Mutex
	calls map[string][]effect // by idempotency key
	holds map[string]*hold    // by session/step
}

// An effect is one call as it arrived.
type effect struct {
	Function string          `json:"function"`
	Input    json.RawMessage `json:"input"`
	Session  string          `json:"session"`
	Step     string          `json:"step"`
	Visit    int             `json:"visit"`
	Key      string          `json:"key"`

	header string // Idempotency-Key
	token  string // what was answered, "" when nothing was
}

// A hold keeps the first call of a step from being answered until it is let go.
type hold struct {
	came, letGo chan struct{}
	taken       bool
}

func newLedger(t *testing.T, seed uint64, p *pulse) *ledger {
	l := &ledger{seed: seed, pulse: p, calls: map[string][]effect{}, holds: map[string]*hold{}}
	l.server = httptest.NewServer(http.HandlerFunc(l.serve))
	t.Cleanup(l.server.Close)
	return l
}

// holdFirst keeps the first call of a session's step.
func (l *ledger) holdFirst(session, step string) *hold {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := &hold{came: make(chan struct{}), letGo: make(chan struct{})}
	l.holds[session+"/"+step] = h
	return h
}

func (l *ledger) serve(w http.ResponseWriter, r *http.Request) {
	var c effect
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.header = r.Header.Get("Idempotency-Key")
	n, fate, held := l.write(c)
	defer l.pulse.beat()
	if held != nil {
		close(held.came)
		<-held.letGo
	} else {
		last(r.Context(), fate.after)
	}
	switch {
	case held == nil && fate.hangUp:
		panic(http.ErrAbortHandler)
	case held == nil && fate.busy:
		http.Error(w, "busy", http.StatusServiceUnavailable)
	default:
		l.answer(w, c, n)
	}
}

// write notes a call and returns its number among those of its key, from 1.
func (l *ledger) write(c effect) (n int, f fate, held *hold) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[c.Key] = append(l.calls[c.Key], c)
	if h := l.holds[c.Session+"/"+c.Step]; h != nil && !h.taken {
		h.taken, held = true, h
	}
	n = len(l.calls[c.Key])
	return n, l.fate(c.Key, n), held
}

// answer gives each call a token of its own, so that the store says whose result was used.
func (l *ledger) answer(w http.ResponseWriter, c effect, n int) {
	token := fmt.Sprintf("%s#%d", c.Key, n)
	l.mu.Lock()
	l.calls[c.Key][n-1].token = token
	l.mu.Unlock()
	var in struct {
		Rounds int `json:"rounds"`
	}
	_ = json.Unmarshal(c.Input, &in) // only one function has rounds
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"output": map[string]any{"token": token, "more": c.Visit < in.Rounds}}) // a caller that died hears nothing
}

// A fate is what becomes of one call.
type fate struct {
	after        time.Duration
	busy, hangUp bool
}

func (l *ledger) fate(key string, n int) fate {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", l.seed, key, n)
	roll := h.Sum64() >> 16
	f := fate{after: time.Duration(roll/1000%40) * time.Millisecond, busy: roll%100 < 10, hangUp: roll%100 >= 95}
	if roll/100%10 == 0 {
		f.after *= 10 // long enough to be under way when something happens
	}
	return f
}

// of returns the calls of a key.
func (l *ledger) of(key string) []effect {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]effect(nil), l.calls[key]...)
}

// keys returns all keys with the number of their calls.
func (l *ledger) keys() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make(map[string]int, len(l.calls))
	for key, calls := range l.calls {
		out[key] = len(calls)
	}
	return out
}
