package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/api"
)

// pageSize is the largest page the API gives.
const pageSize = 500

// A Trail reads a list that grows, such as a session's messages: each Next gives what has
// come since the one before.
type Trail[T any] struct {
	c      *connection
	path   string
	query  url.Values
	number func(*T) int64
	cursor string // of the last page, which may have grown
	seen   int64
}

// Messages follows a session's chat.
func (c *sessions) Messages(id string) *Trail[api.Message] {
	return &Trail[api.Message]{c: c.connection, path: path("sessions", id, "messages"), query: url.Values{}, number: messageNumber}
}

// Executions follows a session's history, of one step if that is not empty.
func (c *sessions) Executions(id, step string) *Trail[api.Execution] {
	query := url.Values{}
	if step != "" {
		query.Set("step", step)
	}
	return &Trail[api.Execution]{c: c.connection, path: path("sessions", id, "executions"), query: query,
		number: func(x *api.Execution) int64 { return x.Seq }}
}

// Requests follows the requests that a session receives.
func (c *sessions) Requests(id string) *Trail[api.Request] {
	return &Trail[api.Request]{c: c.connection, path: path("sessions", id, "requests"), query: url.Values{}, number: func(q *api.Request) int64 { return q.N }}
}

// messageNumber is the n of an id, session/n.
func messageNumber(m *api.Message) int64 {
	n, _ := strconv.ParseInt(m.ID[strings.LastIndex(m.ID, "/")+1:], 10, 64) // a foreign id counts as 0: seen
	return n
}

// Next returns all that has come since the last call, in order.
func (t *Trail[T]) Next(ctx context.Context) ([]T, error) {
	fresh := []T{}
	for {
		t.query.Set("limit", strconv.Itoa(pageSize))
		if t.cursor != "" {
			t.query.Set("cursor", t.cursor)
		}
		var list api.Page[T]
		if err := t.c.do(ctx, request{method: http.MethodGet, path: t.path, query: t.query}, &list); err != nil {
			return nil, err
		}
		for i := range list.Items {
			if n := t.number(&list.Items[i]); n > t.seen {
				t.seen = n
				fresh = append(fresh, list.Items[i])
			}
		}
		if list.Next == "" {
			return fresh, nil
		}
		t.cursor = list.Next
	}
}
