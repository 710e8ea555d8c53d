package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
)

// Audit returns a page of the audit trail; Next of it is where the next begins, "" at the end.
func (c *operating) Audit(ctx context.Context, q engine.AuditQuery, after string) (*api.Page[api.AuditEntry], error) {
	query := url.Values{}
	for name, value := range map[string]string{"who": q.Who, "action": q.Action, "workflow": q.Workflow, "session": q.Session} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for name, at := range map[string]time.Time{"since": q.Since, "until": q.Until} {
		if !at.IsZero() {
			query.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	if q.Refused {
		query.Set("refused", "true")
	}
	var list api.Page[api.AuditEntry]
	if err := c.do(ctx, request{method: http.MethodGet, path: path("audit"), query: page(query, q.Limit, after)}, &list); err != nil {
		return nil, err
	}
	return &list, nil
}
