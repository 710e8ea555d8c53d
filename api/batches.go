package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// batchTime is how long writing a batch's items may take before it is acknowledged.
const batchTime = 10 * time.Minute

// AtBatch is the address of a batch.
type AtBatch struct {
	Batch string `path:"batch"`
}

type stopBatchIn struct {
	AtBatch
	Keyed
	Body ReasonBody
}

type continueBatchIn struct {
	AtBatch
	Keyed
}

type batchOut struct {
	Location string `header:"Location"`
	Replayed string `header:"Idempotency-Replayed" doc:"true if the batch was started before with this key"`
	Body     Batch
}

func (r *batchRoutes) registerBatches() {
	register(r.routeTable, operation{id: "startBatch", method: http.MethodPost, path: "/api/v1/batches", tag: tagBatches, status: http.StatusAccepted,
		summary: "Run one action on many sessions",
		about: "Answers 202 once the batch and all its items are durable; it then continues even if this server stops. " +
			"As JSON: action, options, and a filter or items. As NDJSON (`application/x-ndjson` or `application/octet-stream`): an item a line, action and options in the query; " +
			"the results of an earlier batch are such lines. An answer is bound to one question of its session before any is given: two lines of one session answer two questions.",
		streamed: true, body: BatchBody{}, takes: []string{octets}, reads: []string{ndjson}, limit: batchLimit, longest: batchTime,
		problems: []string{"request_invalid"}}, r.startBatch)
	register(r.routeTable, operation{id: "listBatches", method: http.MethodGet, path: "/api/v1/batches", tag: tagBatches,
		summary: "List batches, the newest first", problems: []string{"bad_request"}}, r.batches)
	register(r.routeTable, operation{id: "getBatch", method: http.MethodGet, path: "/api/v1/batches/{batch}", tag: tagBatches,
		summary: "Look at a batch's progress", problems: []string{"batch_not_found"}}, r.batch)
	register(r.routeTable, operation{id: "stopBatch", method: http.MethodPost, path: "/api/v1/batches/{batch}/stop", tag: tagBatches, optional: true,
		summary: "Stop a batch", about: "Completed items are not undone and open items stay open. A complete batch stays complete.",
		problems: []string{"batch_not_found"}}, r.stopBatch)
	register(r.routeTable, operation{id: "continueBatch", method: http.MethodPost, path: "/api/v1/batches/{batch}/continue", tag: tagBatches,
		summary: "Continue a stopped batch", about: "Its failures so far no longer count against stop_after_failures.",
		problems: []string{"batch_not_found"}}, r.continueBatch)
	register(r.routeTable, operation{id: "deleteBatch", method: http.MethodDelete, path: "/api/v1/batches/{batch}", tag: tagBatches, longest: batchTime,
		summary: "Remove a batch and its results", about: "Completed items are not undone. Its key can be used again.",
		problems: []string{"batch_not_found", "batch_busy"}}, r.deleteBatch)
}

func (r *batchRoutes) startBatch(ctx context.Context, in *startBatchIn) (*batchOut, error) {
	q := engine.BatchRequest{Key: in.Key, By: by}
	var err error
	if in.kind == ndjson || in.kind == octets {
		q.Action, q.Options = in.Action, in.options()
		q.Items, err = readItemLines(in.body)
	} else {
		err = r.readBatch(in, &q)
	}
	if err != nil {
		return nil, err
	}
	if q.Action == engine.RequestAnswer && q.Filter != nil {
		q.Filter.Awaiting = true // the others have nothing to answer
	}
	b, err := r.e.StartBatch(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &batchOut{Location: "batches/" + url.PathEscape(b.ID), Body: batchOf(b)}
	if b.Replayed {
		out.Replayed = "true"
	}
	return out, nil
}

func (r *batchRoutes) batches(ctx context.Context, in *struct{ Paged }) (*pageOut[Batch], error) {
	at, err := readCursor("batches", in.Cursor)
	if err != nil {
		return nil, err
	}
	found, err := r.e.Batches(ctx, engine.Cursor{At: at.At, ID: at.ID}, in.Limit)
	if err != nil {
		return nil, err
	}
	items := make([]Batch, len(found))
	for i := range found {
		items[i] = batchOf(&found[i])
	}
	if len(found) < in.Limit {
		return pageOf(items, ""), nil
	}
	last := &engine.Cursor{At: found[len(found)-1].CreatedAt, ID: found[len(found)-1].ID}
	rest, err := r.e.Batches(ctx, *last, 1)
	if err != nil {
		return nil, err
	}
	if len(rest) == 0 {
		last = nil
	}
	return pageOf(items, rowCursor("batches", last)), nil
}

func (r *batchRoutes) batch(ctx context.Context, in *AtBatch) (*struct{ Body Batch }, error) {
	return batchResult(r.e.Batch(ctx, in.Batch))
}

func (r *batchRoutes) stopBatch(ctx context.Context, in *stopBatchIn) (*struct{ Body Batch }, error) {
	message := "stopped by a person"
	if in.Body.Reason != "" {
		message += ": " + in.Body.Reason
	}
	return batchResult(r.e.StopBatch(ctx, in.Batch, message))
}

func (r *batchRoutes) continueBatch(ctx context.Context, in *continueBatchIn) (*struct{ Body Batch }, error) {
	return batchResult(r.e.ContinueBatch(ctx, in.Batch))
}

func (r *batchRoutes) deleteBatch(ctx context.Context, in *AtBatch) (*empty, error) {
	err := r.e.DeleteBatch(ctx, in.Batch)
	if errors.Is(err, engine.ErrSessionBusy) { // of the batch itself, not of a session
		err = fmt.Errorf("%w: %s; stop it first", errBatchBusy, in.Batch)
	}
	return nil, err
}

func batchResult(b *engine.Batch, err error) (*struct{ Body Batch }, error) {
	if err != nil {
		return nil, err
	}
	return &struct{ Body Batch }{batchOf(b)}, nil
}
