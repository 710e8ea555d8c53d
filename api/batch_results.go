package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

type resultsIn struct {
	AtBatch
	Failed bool `query:"failed" doc:"true: only items that failed"`
	Follow bool `query:"follow" default:"true" doc:"false: as things are now, open items too, instead of waiting until the batch is complete or stopped"`
}

func (r *batchRoutes) registerBatchResults() {
	register(r.routeTable, operation{id: "getBatchResults", method: http.MethodGet, path: "/api/v1/batches/{batch}/results", tag: tagBatches,
		summary: "Read what became of each item, as NDJSON", stream: true,
		about: "A line an item, in order. While the batch runs, lines come as items are done; the answer ends when the batch is complete or stopped, " +
			"and then has the items that stayed open too. The lines can be sent as the items of another batch.",
		problems: []string{"batch_not_found"}}, r.batchResults)
	op := r.api.OpenAPI().Paths["/api/v1/batches/{batch}/results"].Get
	op.Responses["200"].Description = "Lines of BatchItem"
	op.Responses["200"].Content = map[string]*huma.MediaType{octets: {Schema: bytesSchema()}, ndjson: {Schema: &huma.Schema{Type: huma.TypeString},
		Example: `{"n":1,"session":"s1","step":"ask","visit":1,"ask":1,"response":"yes","outcome":"done"}` + "\n"}}
}

func (r *batchRoutes) batchResults(ctx context.Context, in *resultsIn) (*huma.StreamResponse, error) {
	if _, err := r.e.Batch(ctx, in.Batch); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		_, w := humachi.Unwrap(c)
		w.Header().Set("Content-Type", fileKind(c.Header("Accept"), ndjson))
		w.Header().Set("X-Accel-Buffering", "no")
		w.WriteHeader(http.StatusOK)
		results := resultStream{e: r.e, in: in, send: flusher(w, r.heartbeat)}
		if err := results.run(ctx); err != nil && !errors.Is(err, errHeadOnly) {
			if ctx.Err() == nil {
				r.log.ErrorContext(ctx, "results end early", "batch", in.Batch, "error", err)
			}
			panic(http.ErrAbortHandler) // half the results must not look complete
		}
	}}, nil
}

// A resultStream writes the results of one batch.
type resultStream struct {
	e     Batches
	in    *resultsIn
	send  func([]byte) error
	after int64 // the last item written or left out
}

// How often and how much a stream reads.
const (
	resultsEvery = 200 * time.Millisecond
	resultsPage  = 500
)

func (r *resultStream) run(ctx context.Context) error {
	if err := r.send(nil); err != nil { // the head goes out at once
		return err
	}
	for {
		b, err := r.e.Batch(ctx, r.in.Batch)
		if err != nil {
			return err
		}
		over := b.Phase == engine.BatchComplete || b.Phase == engine.BatchStopped // before its items are read
		if over || b.Phase != engine.BatchCollecting {
			if err := r.pages(ctx, over || !r.in.Follow); err != nil {
				return err
			}
		}
		if over || !r.in.Follow {
			return nil
		}
		if err := sleep.For(ctx, resultsEvery); err != nil {
			return err
		}
	}
}

// pages writes all there is; unless all is wanted, up to the first item that is open.
func (r *resultStream) pages(ctx context.Context, all bool) error {
	q := engine.ItemQuery{After: r.after, Limit: resultsPage}
	if all && r.in.Failed {
		q.Outcome = engine.ItemFailed
	}
	for {
		items, err := r.e.BatchItems(ctx, r.in.Batch, q)
		if err != nil {
			return err
		}
		full := len(items) == q.Limit
		text, settled, err := r.lines(items, all)
		if err != nil {
			return err
		}
		if len(text) > 0 {
			if err := r.send(text); err != nil {
				return err
			}
		}
		if q.After = r.after; !full || !settled {
			return nil
		}
	}
}

// lines are the items as they go out; settled is false when an open one ended them.
func (r *resultStream) lines(items []engine.BatchItem, all bool) (text []byte, settled bool, err error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	for i := range items {
		if items[i].Outcome == engine.ItemOpen && !all {
			return b.Bytes(), false, nil
		}
		r.after = items[i].N
		if r.in.Failed && items[i].Outcome != engine.ItemFailed {
			continue
		}
		if err := to.Encode(&items[i]); err != nil {
			return nil, false, err
		}
	}
	return b.Bytes(), true, nil
}
