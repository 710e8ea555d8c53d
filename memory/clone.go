package memory

import (
	"maps"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// utc drops the zone and the monotonic reading, which no database keeps.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Round(0)
}

func cloneRecord(r store.SessionRecord) store.SessionRecord {
	r.State = slices.Clone(r.State)
	r.Counters = slices.Clone(r.Counters)
	r.Awaiting = slices.Clone(r.Awaiting)
	r.Labels = maps.Clone(r.Labels)
	return r
}

func cloneRequest(r store.Request) store.Request {
	r.Body = slices.Clone(r.Body)
	r.At = utc(r.At)
	return r
}

func cloneExecution(e store.Execution) store.Execution {
	e.Input = slices.Clone(e.Input)
	e.Output = slices.Clone(e.Output)
	e.Error = slices.Clone(e.Error)
	e.Paths = slices.Clone(e.Paths)
	e.Usage = slices.Clone(e.Usage)
	e.StartedAt, e.FinishedAt = utc(e.StartedAt), utc(e.FinishedAt)
	e.Reads = slices.Clone(e.Reads)
	e.Took = slices.Clone(e.Took)
	return e
}

// cloneProperties copies the properties of a node; lists are the only values that can be
// shared.
func cloneProperties(p map[string]any) map[string]any {
	out := make(map[string]any, len(p))
	for name, v := range p {
		switch v := v.(type) {
		case nil:
		case []any:
			out[name] = slices.Clone(v)
		case []string:
			out[name] = slices.Clone(v)
		default:
			out[name] = v
		}
	}
	return out
}
