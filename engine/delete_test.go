package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// TestDeleteBesideTheEnd: a session that ends while it is deleted with cancel is deleted, whether
// its end comes before the cancel, or its holder still has to give it up.
func TestDeleteBesideTheEnd(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		r.workflow("w", []engine.Step{
			{ID: "root", Function: "linger", Input: `{"ms": 1}`},
			{ID: "w", Function: "linger", Input: `{"ms": 1}`}}, "root>w")
		r.run()
		var wg sync.WaitGroup
		for i := range 200 {
			id := fmt.Sprintf("S%d", i)
			r.start("w", id)
			wg.Go(func() {
				time.Sleep(rand.N(4 * time.Millisecond))
				if err := r.engine.DeleteSession(r.ctx, id, true); err != nil {
					r.Errorf("delete %s: %v", id, err)
				}
				if _, err := r.engine.Session(r.ctx, id); !errors.Is(err, engine.ErrSessionNotFound) {
					r.Errorf("session %s after it was deleted: %v", id, err)
				}
			})
		}
		wg.Wait()
	})
}
