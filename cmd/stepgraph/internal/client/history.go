package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// Executions returns a page of a session's history.
func (c *Client) Executions(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Execution, error) {
	var list page[engine.Execution]
	err := c.do(ctx, request{method: http.MethodGet, path: path("sessions", id, "executions"), query: historyQuery(q)}, &list)
	return list.Items, err
}

// Messages returns a page of a session's chat.
func (c *Client) Messages(ctx context.Context, id string, q engine.HistoryQuery) ([]engine.Message, error) {
	var list page[engine.Message]
	err := c.do(ctx, request{method: http.MethodGet, path: path("sessions", id, "messages"), query: historyQuery(q)}, &list)
	for i := range list.Items {
		m := &list.Items[i]
		m.N, _ = strconv.ParseInt(m.ID[strings.LastIndex(m.ID, "/")+1:], 10, 64) // an id is session/n
	}
	return list.Items, err
}

func historyQuery(q engine.HistoryQuery) url.Values {
	query := url.Values{}
	if q.After > 0 {
		query.Set("after", strconv.FormatInt(q.After, 10))
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Step != "" {
		query.Set("step", q.Step)
	}
	if q.Lineage {
		query.Set("lineage", "true")
	}
	return query
}
