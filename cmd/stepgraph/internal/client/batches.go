package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/stepgraph/stepgraph/api"
)

// StartBatch starts a batch. lines, if not nil, are its items as NDJSON, one a line; they
// are sent as they are read.
func (c *batches) StartBatch(ctx context.Context, b *api.BatchBody, lines io.Reader, key string) (*api.Batch, error) {
	r := request{method: http.MethodPost, path: path("batches"), key: key}
	if lines != nil {
		r.query, r.lines = batchQuery(b), lines
	} else {
		r.body = b
	}
	return send[api.Batch](ctx, c.connection, r)
}

// batchQuery says a batch's action and options in the query.
func batchQuery(b *api.BatchBody) url.Values {
	query := url.Values{"action": {b.Action}}
	for name, value := range map[string]string{"response": string(b.Answer), "step": b.Step, "to": b.To, "name": b.Name, "reason": b.Reason} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for name, on := range map[string]bool{"new_key": b.NewKey, "cancel": b.Cancel, "dry_run": b.DryRun} {
		if on {
			query.Set(name, "true")
		}
	}
	for name, n := range map[string]int{"first": b.First, "stop_after_failures": b.Stop} {
		if n != 0 {
			query.Set(name, strconv.Itoa(n))
		}
	}
	if b.Rate != 0 {
		query.Set("rate", strconv.FormatFloat(b.Rate, 'g', -1, 64))
	}
	return query
}

// Batch returns a batch with its progress.
func (c *batches) Batch(ctx context.Context, id string) (*api.Batch, error) {
	return get[api.Batch](ctx, c.connection, nil, "batches", id)
}

// Batches returns a page of batches, the newest first.
func (c *batches) Batches(ctx context.Context, limit int, after string) (*api.Page[api.Batch], error) {
	return get[api.Page[api.Batch]](ctx, c.connection, page(url.Values{}, limit, after), "batches")
}

// BatchResults reads a batch's results, NDJSON; with follow up to the batch's end. The
// caller closes it.
func (c *batches) BatchResults(ctx context.Context, id string, failed, follow bool) (io.ReadCloser, error) {
	query := url.Values{"failed": {strconv.FormatBool(failed)}, "follow": {strconv.FormatBool(follow)}}
	return c.open(ctx, request{method: http.MethodGet, path: path("batches", id, "results"), query: query, accept: ndjson})
}

// StopBatch stops a batch; what is done stays done.
func (c *batches) StopBatch(ctx context.Context, id, reason string) (*api.Batch, error) {
	return send[api.Batch](ctx, c.connection, request{method: http.MethodPost, path: path("batches", id, "stop"), body: api.ReasonBody{Reason: reason}})
}

// ContinueBatch lets a stopped batch go on.
func (c *batches) ContinueBatch(ctx context.Context, id string) (*api.Batch, error) {
	return send[api.Batch](ctx, c.connection, request{method: http.MethodPost, path: path("batches", id, "continue")})
}

// DeleteBatch removes a batch and its results.
func (c *batches) DeleteBatch(ctx context.Context, id string) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path("batches", id)}, nil)
}

// Settle waits until the sessions that a batch has changed are idle, if the engine is one of this
// process; a server continues them anyway.
func (c *batches) Settle(ctx context.Context, b *api.Batch) error {
	if c.engine == nil {
		return nil
	}
	return c.engine.Settle(ctx, b)
}
