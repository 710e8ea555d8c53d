package cypher

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// sessionFrom reads the properties of a SESSION. All but id may be missing: people make
// sessions by hand.
func sessionFrom(p properties) store.SessionRecord {
	return store.SessionRecord{
		ID: p.text("id"), Workflow: p.text("workflow"), State: p.bytes("state"), Counters: p.bytes("counters"),
		Status: p.text("status"), Version: p.number("version"), CreatedAt: p.time("created_at"), UpdatedAt: p.time("updated_at"),
		Awaiting: p.bytes("awaiting"), AwaitingSince: p.time("awaiting_since"), Root: p.text("root"),
		Labels: labelsFrom(p.list("labels")), Inbox: p.number("inbox"), Lease: p.text("lease"), LeaseOwner: p.text("lease_owner"),
		LeaseUntil: p.time("lease_until"), DueAt: p.time("due_at"), Transition: p.text("transition"), Claims: int(p.number("claims")),
	}
}

func sessionsFrom(rows []row) []store.SessionRecord {
	list := make([]store.SessionRecord, len(rows))
	for i, r := range rows {
		list[i] = sessionFrom(r.properties("session"))
	}
	return list
}

// labelTexts are labels as a property can hold them and a query find them: a list of
// "name=value". An = in a name is escaped.
func labelTexts(labels map[string]string) []string {
	list := make([]string, 0, len(labels))
	for name, value := range labels {
		list = append(list, escapeName(name)+"="+value)
	}
	return list
}

func escapeName(name string) string {
	if strings.ContainsAny(name, "=%") {
		return url.QueryEscape(name)
	}
	return name
}

func labelsFrom(list []any) map[string]string {
	if len(list) == 0 {
		return nil
	}
	labels := make(map[string]string, len(list))
	for _, v := range list {
		name, value, _ := strings.Cut(asText(v), "=")
		if plainName, err := url.QueryUnescape(name); err == nil && strings.Contains(name, "%") {
			name = plainName
		}
		labels[name] = value
	}
	return labels
}

// questions reads SESSION.awaiting; text that does not parse asks nothing.
func questions(awaiting []byte) []store.Waiting {
	if len(awaiting) == 0 {
		return nil
	}
	var list []store.Waiting
	if err := json.Unmarshal(awaiting, &list); err != nil {
		return nil
	}
	return list
}

// questionProperties sets what a session stores of its open questions: the questions, and what lists
// and counts look for. awaiting_steps has the step of each. awaiting_step, which an index can hold,
// is that step where there is one, and the empty text, which no step is called by, where there are several.
func questionProperties(p params, awaiting []byte, since time.Time) {
	p["awaiting"], p["awaiting_since"], p["awaiting_steps"], p["awaiting_step"] = optional(awaiting), stamp(since), nil, nil
	list := questions(awaiting)
	if len(list) == 0 {
		return
	}
	steps := make([]string, len(list))
	for i := range list {
		steps[i] = list[i].Step
	}
	p["awaiting_steps"], p["awaiting_step"] = steps, steps[0]
	if slices.ContainsFunc(steps, func(step string) bool { return step != steps[0] }) {
		p["awaiting_step"] = ""
	}
}

// requestFrom reads the properties of a REQUEST.
func requestFrom(p properties) store.Request {
	return store.Request{
		ID: p.text("id"), Session: p.text("session"), Key: p.text("key"), N: p.number("n"), Target: p.text("target"),
		Kind: p.text("kind"), Step: p.text("step"), Visit: int(p.number("visit")), Ask: int(p.number("ask")),
		Body: p.bytes("body"), BodyHash: p.text("body_hash"), By: p.text("by"), At: p.time("at"),
		Applied: p.yes("applied"), Outcome: p.text("outcome"),
	}
}

func requestsFrom(list []any) []store.Request {
	var requests []store.Request
	for _, v := range list {
		p, _ := v.(map[string]any)
		requests = append(requests, requestFrom(p))
	}
	return requests
}

// requestProperties are those of a REQUEST node. unapplied, which the index looks for,
// is there only until the request has been applied.
func requestProperties(q *store.Request) params {
	p := params{
		"id": q.ID, "session": q.Session, "key": q.Key, "n": q.N, "target": optional(q.Target), "kind": q.Kind,
		"step": optional(q.Step), "body": optional(q.Body), "body_hash": optional(q.BodyHash), "by": optional(q.By),
		"at": stamp(q.At), "applied": q.Applied, "outcome": optional(q.Outcome),
	}
	if q.Visit != 0 || q.Ask != 0 || q.Target != "" {
		p["visit"], p["ask"] = q.Visit, q.Ask
	}
	if !q.Applied {
		p["unapplied"] = q.Session
	}
	return p
}
