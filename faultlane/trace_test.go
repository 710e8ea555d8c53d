package faultlane

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A trace is all that a store holds of one session.
type trace struct {
	record     store.SessionRecord
	executions []engine.Execution
	messages   []engine.Message
	requests   []engine.Request
	outputs    map[string][]json.RawMessage // of the state
	statuses   map[string]string            // of the state's steps
	removed    bool                         // it is in an archive only
	counters   struct {
		Seq      int64 `json:"seq"`
		Messages int64 `json:"messages"`
		Seen     int64 `json:"seen"`
	}
}

const pageRows = 500

// readTrace reads everything of a session.
func readTrace(ctx context.Context, opened engine.Store, id string) (*trace, error) {
	rec, err := opened.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	t := &trace{record: *rec}
	if t.executions, err = pages(func(q engine.HistoryQuery) ([]engine.Execution, error) {
		q.Lineage = true
		return opened.Executions(ctx, id, q)
	}, func(x engine.Execution) int64 { return x.Seq }); err != nil {
		return nil, err
	}
	if t.messages, err = pages(func(q engine.HistoryQuery) ([]engine.Message, error) { return opened.Messages(ctx, id, q) },
		func(m engine.Message) int64 { return m.N }); err != nil {
		return nil, err
	}
	if t.requests, err = pages(func(q engine.HistoryQuery) ([]engine.Request, error) { return opened.AllRequests(ctx, id, q) },
		func(r engine.Request) int64 { return r.N }); err != nil {
		return nil, err
	}
	return t, t.decode()
}

// decode reads state and counters of the record.
func (t *trace) decode() error {
	var state struct {
		Workflow map[string]struct{ Status string }
		Data     struct {
			Outputs map[string][]json.RawMessage
		}
	}
	if err := json.Unmarshal(t.record.State, &state); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	t.outputs, t.statuses = state.Data.Outputs, map[string]string{}
	for step, s := range state.Workflow {
		t.statuses[step] = s.Status
	}
	return json.Unmarshal(t.record.Counters, &t.counters)
}

// pages reads a list to its end. A list that does not go on, because two rows have one
// number, ends too.
func pages[T any](read func(engine.HistoryQuery) ([]T, error), number func(T) int64) ([]T, error) {
	var all []T
	for at := int64(0); ; {
		page, err := read(engine.HistoryQuery{After: at, Limit: pageRows})
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < pageRows || number(page[len(page)-1]) <= at {
			return all, nil
		}
		at = number(page[len(page)-1])
	}
}

// field is a text of a JSON object, "" when it is not there.
func field(object json.RawMessage, name string) string {
	var all map[string]json.RawMessage
	var text string
	if json.Unmarshal(object, &all) != nil || json.Unmarshal(all[name], &text) != nil {
		return ""
	}
	return text
}
