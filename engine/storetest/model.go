package storetest

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/memory"
)

// modelBudget bounds Model on a slow store: sequences not begun by then are left out.
const modelBudget = 20 * time.Second

// Model plays random sequences of calls on the store that open returns and on package
// memory, and wants the same of both, as far as the contract says what that is. open is
// called once. A failing sequence is made as short as rapid can before it is shown.
func Model(t *testing.T, open func(t *testing.T) store.Store) {
	subject := retryingStore{open(t)}
	run, end := strings.ToLower(rand.Text()[:10]), time.Now().Add(modelBudget)
	var sequences atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		if time.Now().After(end) {
			return
		}
		p := &pair{
			T: rt, ctx: t.Context(), subject: subject, model: memory.New(memory.Options{}),
			prefix: fmt.Sprintf("model-%s-%d", run, sequences.Add(1)),
		}
		p.play()
	})
	t.Logf("played %d sequences", sequences.Load())
}

// play runs one sequence.
func (p *pair) play() {
	p.Repeat(map[string]func(*rapid.T){
		"":              func(*rapid.T) { p.sameSessions() },
		"create":        func(*rapid.T) { p.create() },
		"claim":         func(*rapid.T) { p.claim() },
		"commit":        func(*rapid.T) { p.commit() },
		"commit again":  func(*rapid.T) { p.commitAgain() },
		"deliver":       func(*rapid.T) { p.deliver() },
		"extend":        func(*rapid.T) { p.extend() },
		"release":       func(*rapid.T) { p.release() },
		"wake":          func(*rapid.T) { p.wake() },
		"edit state":    func(*rapid.T) { p.editState() },
		"edit workflow": func(*rapid.T) { p.editWorkflow() },
		"delete":        func(*rapid.T) { p.delete() },
	})
	p.sameHistory()
	p.sameLists()
}
