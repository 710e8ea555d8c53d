package faultlane

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// requests: all are applied, each question has one answer, and it is the acknowledged one.
func (q *inquest) requests() {
	answered := map[string]engine.Request{}
	for _, r := range q.t.requests {
		if !r.Applied {
			q.violate("request %d (%s) was taken and never applied", r.N, r.Kind)
		}
		if r.Kind != engine.RequestAnswer {
			continue
		}
		if before, there := answered[r.Target]; there {
			q.violate("question %s has two answers: %s and %s", r.Target, before.ID, r.ID)
		}
		answered[r.Target] = r
	}
	for v, a := range q.p.answers {
		r, there := answered[fmt.Sprintf("%s/%s/%d/1", q.p.session, v.step, v.n)]
		switch {
		case !there:
			q.violate("the answer to %s was acknowledged as %s and is gone", v, a.request)
		case r.ID != a.request || text(r.Body) != a.response:
			q.violate("the answer to %s was acknowledged as %s %q; the store has %s %s", v, a.request, a.response, r.ID, r.Body)
		}
	}
}

// answers: each that was applied ended its visit, once, and was said once.
func (q *inquest) answers() {
	cancelled := false
	said := map[string]int{}
	for _, m := range q.t.messages {
		if m.Role == "user" {
			said[m.Content]++
		}
	}
	for _, r := range q.t.requests {
		switch {
		case r.Kind == engine.RequestCancel:
			cancelled = cancelled || q.t.record.Status == engine.StatusCancelled
		case r.Kind == engine.RequestAnswer && !cancelled:
			v := visit{r.Step, r.Visit}
			if len(q.ended[v]) == 0 || q.ended[v][0].Status != engine.StatusAnswered {
				q.violate("the answer to %s was taken as %s and ended nothing: %s", v, r.ID, r.Outcome)
				continue
			}
			if got := field(q.ended[v][0].Output, "response"); got != text(r.Body) {
				q.violate("the answer to %s is %s in the inbox and %q in the history", v, r.Body, got)
			}
			if said[text(r.Body)] != 1 {
				q.violate("the answer to %s stands %d times in the chat", v, said[text(r.Body)])
			}
		}
	}
}

// visits: a complete session made those of the model, led to by those of the model; any
// other one a part of them.
func (q *inquest) visits() {
	want := model(q.p.rounds)
	for v, list := range q.ended {
		from, there := want[v]
		if !there {
			q.violate("%s has run; the model has no such visit", v)
			continue
		}
		if got := q.came(list[0]); !slices.Equal(got, from) {
			q.violate("%s was led to by %v, want %v", v, got, from)
		}
	}
	if q.t.record.Status != engine.StatusComplete {
		return
	}
	for v := range want {
		if len(q.ended[v]) == 0 {
			q.violate("%s has never ended, though the session is complete", v)
		}
	}
	for step := range kinds {
		if q.t.statuses[step] != engine.StatusComplete {
			q.violate("step %s is %q in the state of a complete session", step, q.t.statuses[step])
		}
	}
	q.attempts()
	if got, want := len(q.t.messages), 4+2*q.p.rounds+1; got != want {
		q.violate("the chat has %d messages, want %d", got, want)
	}
}

// came are the visits that led to an execution.
func (q *inquest) came(x engine.Execution) []visit {
	var from []visit
	for _, l := range x.Took {
		for _, y := range q.t.executions {
			if y.ID == l.Execution {
				from = append(from, visit{y.Step, y.Visit})
			}
		}
	}
	slices.SortFunc(from, func(a, b visit) int {
		if a.step < b.step {
			return -1
		}
		return 1
	})
	return from
}

// attempts: the failed ones of a visit are numbered from 1, the one that ended it is next.
func (q *inquest) attempts() {
	failed := map[visit]int{}
	for _, x := range q.t.executions {
		v := visit{x.Step, x.Visit}
		switch x.Status {
		case engine.StatusError:
			failed[v]++
			if x.Attempt != failed[v] {
				q.violate("failure %d of %s is numbered %d", failed[v], v, x.Attempt)
			}
		case engine.StatusComplete:
			if x.Attempt != failed[v]+1 {
				q.violate("%s has failed %d times and then ended with attempt %d", v, failed[v], x.Attempt)
			}
		}
	}
}

// values: what came out of each visit is what went in, up to the result that the outside
// world gave: a result nobody gave, of another call or of an older state shows here.
func (q *inquest) values() {
	for v, list := range q.ended {
		x := list[0]
		if kinds[v.step] == side {
			q.effect(v, x)
		}
		for name, want := range q.inputs(v) {
			if got := field(x.Input, name); got != want {
				q.violate("%s ran with %s %q, want %q", v, name, got, want)
			}
		}
		if want := q.output(v); want != "" && string(x.Output) != want {
			q.violate("%s gave %s, want %s", v, x.Output, want)
		}
		if newest := q.t.outputs[v.step]; q.t.record.Status == engine.StatusComplete && q.last(v) && (len(newest) == 0 || string(newest[len(newest)-1]) != string(x.Output)) {
			q.violate("the newest output of %s in the state is %s, in the history %s", v.step, newest, x.Output)
		}
	}
}

// lostCalls: every call that was made has an execution, with its result or with the word that it
// was lost. What is said to be lost is a call that was made, or one that a worker was to make
// when it died; a result that came too late is one that the call gave. It may be the result that
// counts: a commit whose answer was lost for longer than the lease.
func (q *inquest) lostCalls() {
	known := map[visit]int{}
	for _, x := range q.t.executions {
		v, token := visit{x.Step, x.Visit}, field(x.Output, "token")
		if hasEffect(x) {
			known[v]++
		}
		if x.Status != engine.StatusLost {
			continue
		}
		calls := q.ledger.of(q.key(v))
		if token != "" && !slices.ContainsFunc(calls, func(c effect) bool { return c.token == token }) {
			q.violate("execution %d says that a call of %s was lost, of the result %q: it was called %d times", x.Seq, v, token, len(calls))
		}
	}
	for v, n := range known {
		if calls := q.ledger.of(q.key(v)); len(calls) > n {
			q.violate("%s was called %d times, %d executions say so", v, len(calls), n)
		}
	}
}

// last reports whether a visit is its step's last one.
func (q *inquest) last(v visit) bool { return len(q.ended[visit{v.step, v.n + 1}]) == 0 }

// effect: it was called, and what counts is what it answered.
func (q *inquest) effect(v visit, x engine.Execution) {
	calls := q.ledger.of(q.key(v))
	if len(calls) == 0 {
		q.violate("%s ended and was never called", v)
		return
	}
	token := field(x.Output, "token")
	if token == "" || !slices.ContainsFunc(calls, func(c effect) bool { return c.token == token }) {
		q.violate("%s ended with %s, which none of its %d calls answered", v, x.Output, len(calls))
	}
}

// token is the result that counts for a visit of an effect.
func (q *inquest) token(v visit) string {
	if list := q.ended[v]; len(list) > 0 {
		return field(list[0].Output, "token")
	}
	return ""
}

func (q *inquest) response(v visit) string {
	if list := q.ended[v]; len(list) > 0 {
		return field(list[0].Output, "response")
	}
	return ""
}

// inputs are fields that the input of a visit must have.
func (q *inquest) inputs(v visit) map[string]string {
	switch v.step {
	case "left":
		return map[string]string{"charge": q.token(visit{"charge", 1})}
	case "book":
		return map[string]string{"answer": q.response(visit{"ask", v.n})}
	case "note":
		return map[string]string{"value": q.token(visit{"book", v.n})}
	}
	return nil
}

// output is what a pure step must give, "" where that is not said.
func (q *inquest) output(v visit) string {
	switch v.step {
	case "right":
		return compact(map[string]any{"text": "right of " + q.token(visit{"charge", 1})})
	case "both":
		return compact(map[string]any{"text": q.token(visit{"left", 1}) + " & " + q.response(visit{"name", 1}) + " & " + q.response(visit{"mood", 1})})
	case "note":
		var items []string
		for n := 1; n <= v.n; n++ {
			items = append(items, q.token(visit{"book", n}))
		}
		return `{"items":` + compact(items) + `,"count":` + fmt.Sprint(v.n) + `}`
	}
	return ""
}

func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

func text(body json.RawMessage) string {
	var s string
	if json.Unmarshal(body, &s) != nil {
		return ""
	}
	return s
}
