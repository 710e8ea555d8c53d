package inspect

import (
	"context"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// turnText says what holds a session up.
func turnText(l graph.Limits, running, ahead int, key string, next time.Time) string {
	of := ""
	if key != "" {
		of = fmt.Sprintf(" with the %s %q", "concurrency key", graph.CutText(key, 100))
	}
	text := ""
	if l.MaxSessionsAtOnce > 0 {
		text = fmt.Sprintf("%d of at most %d sessions of its workflow%s run; ", running, l.MaxSessionsAtOnce, of)
	}
	if l.Rate != "" {
		text += fmt.Sprintf("at most %s%s start", l.Rate, of)
		if !next.IsZero() {
			text += ", the next at " + next.Format(time.RFC3339)
		}
		text += "; "
	}
	return text + fmt.Sprintf("%d wait before it", ahead)
}

// Lanes returns what waits for its turn by the limits of a workflow, or of all workflows, and what has it.
func (i *Inspector) Lanes(ctx context.Context, workflow string, limit int) ([]store.Lane, error) {
	return i.o.Store.Lanes(ctx, workflow, limit)
}
