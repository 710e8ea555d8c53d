package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// answerAll answers all that wait in a workflow.
func answerAll(workflow, response string, options engine.BatchOptions) engine.BatchRequest {
	options.Response = json.RawMessage(response)
	return engine.BatchRequest{Action: engine.RequestAnswer, Filter: awaiting(workflow), Options: options, By: "operator"}
}

// answerLines answers by lines "session [step] = response".
func answerLines(lines ...string) engine.BatchRequest {
	q := engine.BatchRequest{Action: engine.RequestAnswer}
	for _, line := range lines {
		names, response, _ := strings.Cut(line, " = ")
		session, step, _ := strings.Cut(names, " ")
		q.Items = append(q.Items, engine.BatchItem{Session: session, Step: step, Response: json.RawMessage(response)})
	}
	return q
}

func filterIsAnswered(o *operator) {
	w := o.asking()
	ids := o.start(w, 300)
	b := o.finish(answerAll(w, `"Ada"`, engine.BatchOptions{}), 300, 0)
	if b.Total != 300 {
		o.Errorf("total is %d", b.Total)
	}
	o.answeredOnce(ids)
	seen := map[string]bool{}
	for i, item := range o.items(b.ID) {
		if item.N != int64(i+1) || item.Step != "root" || item.Visit != 1 || item.Ask != 1 || item.Outcome != engine.ItemDone || seen[item.Session] {
			o.Fatalf("item %d is %+v", i+1, item)
		}
		seen[item.Session] = true
	}
	if len(seen) != 300 {
		o.Errorf("%d sessions in the results", len(seen))
	}
	none := o.begin(answerAll(w, `"Ada"`, engine.BatchOptions{}))
	if none.Total != 0 || none.Phase != engine.BatchComplete {
		o.Errorf("a batch of nobody is %s with %d items", none.Phase, none.Total)
	}
}

func linesGoToQuestions(o *operator) {
	w := o.workflow("two", [][3]string{{"root", "echo", `{}`}, {"name", "ask", `{"prompt": "Name?"}`}, {"town", "ask", `{"prompt": "Town?"}`}},
		[][3]string{{"root", "name", ""}, {"root", "town", ""}})
	ids := o.start(w, 3)
	done := o.start(o.workflow("none", [][3]string{{"root", "echo", `{}`}}, nil), 1)[0]
	b := o.finish(answerLines(
		ids[0]+` = "Ada"`, done+` = "too late"`, ids[1]+` town = "Rome"`, ids[0]+` = "Paris"`, o.prefix+`-nobody = "?"`,
		ids[2]+` town = "Oslo"`, ids[2]+` = "Eve"`, ids[2]+` town = "Bonn"`, ids[1]+` nowhere = "?"`,
	), 5, 4)
	want := []string{"name done", " failed no open question", "town done", "town done", " failed session not found",
		"town done", "name done", "town failed no open question at step \"town\"", "nowhere failed no open question at step \"nowhere\""}
	for i, item := range o.items(b.ID) {
		got := strings.TrimSuffix(fmt.Sprintf("%s %s %s", item.Step, item.Outcome, item.Error), " ")
		if got != want[i] {
			o.Errorf("line %d: %q, want %q", i+1, got, want[i])
		}
	}
	o.status(engine.StatusComplete, ids[0], ids[2])
	o.status(engine.StatusAwaitingInput, ids[1])
	for i, want := range []string{`["Ada" "Paris"]`, `["Rome"]`, `["Eve" "Oslo"]`} {
		got := o.answers(ids[i])
		slices.Sort(got)
		if fmt.Sprint(got) != want {
			o.Errorf("answers of session %d: %v, want %s", i, got, want)
		}
	}
}

func dryRun(o *operator) {
	w := o.workflow("dry", [][3]string{{"root", "ask", `{"prompt": "Go?"}`},
		{"yes", "work", `{"said": "@{SESSION_ID}.root.response", "nobody": "@{SESSION_ID}.nothing|by nobody"}`}, {"no", "echo", `{}`}},
		[][3]string{{"root", "yes", "@{SESSION_ID}.root.response"}, {"root", "no", `{"false": "@{SESSION_ID}.root.response"}`}})
	ids := o.start(w, 5)
	before := map[string]int64{}
	for _, id := range ids {
		before[id] = o.rests(id).Version
	}
	for response, want := range map[string]string{
		`"maybe"`: `root answered, calls [{yes work {"nobody":"by nobody","said":"maybe"}}], active`,
		`false`:   `root answered, no complete, calls [], complete`,
	} {
		b := o.finish(answerAll(w, response, engine.BatchOptions{DryRun: true}), 5, 0)
		for _, item := range o.items(b.ID) {
			if got := forecastText(o, item.Would); got != want {
				o.Errorf("%s: %s, want %s", response, got, want)
			}
		}
	}
	for _, id := range ids {
		s := o.rests(id)
		if s.Version != before[id] || s.Status != engine.StatusAwaitingInput || len(o.answers(id)) > 0 {
			o.Errorf("session %s is %s in version %d with answers %v after a dry run", id, s.Status, s.Version, o.answers(id))
		}
	}
	if called := o.fakes.called; len(called) > 0 {
		o.Errorf("a dry run called %v", called)
	}
}

func forecastText(o *operator, text json.RawMessage) string {
	var f engine.Forecast
	if err := json.Unmarshal(text, &f); err != nil {
		o.Fatalf("%s: %v", text, err)
	}
	var b strings.Builder
	for _, s := range f.Steps {
		fmt.Fprintf(&b, "%s %s, ", s.Step, s.Status)
	}
	calls := []string{}
	for _, c := range f.Calls {
		calls = append(calls, fmt.Sprintf("{%s %s %s}", c.Step, c.Function, sortedJSON(o, c.Input)))
	}
	fmt.Fprintf(&b, "calls %v, %s", calls, f.Status)
	return b.String()
}

// sortedJSON is an object with its keys in order.
func sortedJSON(o *operator, text json.RawMessage) string {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		o.Fatalf("%s: %v", text, err)
	}
	sorted, err := json.Marshal(v)
	o.noError(err)
	return string(sorted)
}

func dryRunRefuses(o *operator) {
	w := o.workflow("select", [][3]string{{"root", "ask", `{"kind": "select", "prompt": "Which?", "options": [{"text": "red"}, {"text": "blue"}]}`}}, nil)
	ids := o.start(w, 2)
	q := answerLines(ids[0]+` = "green"`, ids[1]+` = "red"`)
	q.Options.DryRun = true
	b := o.finish(q, 1, 1)
	if got := o.items(b.ID)[0].Error; !strings.Contains(got, engine.ErrAnswerInvalid.Error()) {
		o.Errorf("error %q", got)
	}
	gone := engine.BatchRequest{Action: engine.ActionDelete, Filter: &engine.SessionQuery{Workflow: w}, Options: engine.BatchOptions{DryRun: true}}
	o.finish(gone, 0, 2)
	gone.Options.Cancel = true
	o.finish(gone, 2, 0)
	o.status(engine.StatusAwaitingInput, ids...)
}

func onlyTheFirst(o *operator) {
	w := o.asking()
	o.start(w, 12)
	if b := o.finish(answerAll(w, `"Ada"`, engine.BatchOptions{First: 5}), 5, 0); b.Total != 5 {
		o.Errorf("total is %d, want 5", b.Total)
	}
	o.until("the answers are applied", func() bool {
		left, err := o.engine.CountSessions(o.ctx, *awaiting(w), "status")
		o.noError(err)
		return left[engine.StatusAwaitingInput] == 7
	})
}

func failuresStop(o *operator) {
	w := o.workflow("confirm", [][3]string{{"root", "ask", `{"kind": "confirm", "prompt": "Sure?"}`}}, nil)
	ids := o.start(w, 10)
	var lines []string
	for i, id := range ids {
		lines = append(lines, id+[]string{` = "yes"`, ` = "perhaps"`}[i%2])
	}
	q := answerLines(lines...)
	q.Options.StopAfterFailures = 2
	b := o.over(o.begin(q).ID)
	o.counts(b, engine.BatchStopped, 2, 2)
	if b.Message != "stopped after 2 failures" || !b.DueAt.IsZero() {
		o.Errorf("message %q, due %v", b.Message, b.DueAt)
	}
	o.status(engine.StatusComplete, ids[0], ids[2])
	o.status(engine.StatusAwaitingInput, ids[1], ids[3], ids[4], ids[5])
	_, err := o.engine.ContinueBatch(o.ctx, b.ID)
	o.noError(err)
	o.counts(o.over(b.ID), engine.BatchStopped, 4, 4)
	_, err = o.engine.ContinueBatch(o.ctx, b.ID)
	o.noError(err)
	o.counts(o.over(b.ID), engine.BatchComplete, 5, 5)
}

func faultsStopBeforeTheFirst(o *operator) {
	ids := o.start(o.asking(), 2)
	q := answerLines(ids[0]+` = "Ada"`, o.prefix+`-x = "Ada"`, o.prefix+`-y = "Ada"`, ids[1]+` = "Ada"`)
	q.Options.StopAfterFailures = 2
	o.counts(o.over(o.begin(q).ID), engine.BatchStopped, 0, 2)
	o.status(engine.StatusAwaitingInput, ids...)
}

func rateIsKept(o *operator) {
	w := o.asking()
	ids := o.start(w, 16)
	began := time.Now()
	o.finish(answerAll(w, `"Ada"`, engine.BatchOptions{Rate: 20}), 16, 0)
	if took := time.Since(began); took < 700*time.Millisecond {
		o.Errorf("16 answers at 20 a second took %v", took)
	}
	o.answeredOnce(ids)
}

func resultsAreItems(o *operator) {
	w := o.workflow("again", [][3]string{{"root", "ask", `{"prompt": "And?"}`}}, [][3]string{{"root", "root", "@{SESSION_ID}.root.response"}})
	ids := o.start(w, 20)
	b := o.finish(answerAll(w, `"more"`, engine.BatchOptions{}), 20, 0)
	for range 2 {
		o.status(engine.StatusAwaitingInput, ids...)
		b = o.finish(engine.BatchRequest{Action: engine.RequestAnswer, Items: o.items(b.ID)}, 20, 0)
	}
	o.status(engine.StatusAwaitingInput, ids...)
	for _, id := range ids {
		if got := o.answers(id); !slices.Equal(got, []string{`"more"`, `"more"`, `"more"`}) {
			o.Fatalf("session %s was answered %v", id, got)
		}
	}
	if item := o.items(b.ID)[0]; item.Visit != 3 {
		o.Errorf("the third batch answered visit %d", item.Visit)
	}
}

func keyStartsOne(o *operator) {
	w := o.asking()
	ids := o.start(w, 10)
	q := answerAll(w, `"Ada"`, engine.BatchOptions{})
	q.Key = o.prefix + "-key"
	made := make([]*engine.Batch, 4)
	errs := make([]error, len(made))
	done := make(chan int)
	for i := range made {
		go func() {
			made[i], errs[i] = o.engine.StartBatch(o.ctx, q)
			done <- i
		}()
	}
	for range made {
		<-done
	}
	news := 0
	for i := range made {
		o.noError(errs[i])
		if made[i].ID != made[0].ID {
			o.Errorf("two batches: %s and %s", made[i].ID, made[0].ID)
		}
		if !made[i].Replayed {
			news++
		}
	}
	if news != 1 {
		o.Errorf("%d calls started the batch", news)
	}
	o.counts(o.over(made[0].ID), engine.BatchComplete, 10, 0)
	again, err := o.engine.StartBatch(o.ctx, q)
	o.noError(err)
	if !again.Replayed || again.ID != made[0].ID || again.Done != 10 {
		o.Errorf("again: %+v", again)
	}
	q.Options.Response = json.RawMessage(`"Eve"`)
	if _, err := o.engine.StartBatch(o.ctx, q); !errors.Is(err, engine.ErrKeyReused) {
		o.Errorf("another body under the key: %v", err)
	}
	o.answeredOnce(ids)
}
