package docs_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// TestLooks asks everything that changes nothing of one workflow with five sessions: one
// complete, one that waits, one paused while it waits, one that failed, one that is pending.
func TestLooks(t *testing.T) {
	w := newWorld(t)
	s := sessions{done: w.start("root"), waits: w.start("root"), paused: w.start("root"), failed: w.start("boom"), pending: w.start("lacks")}
	s.done = w.answer(s.done.ID, "Ada")
	s.paused = w.act(engine.Action{Session: s.paused.ID, Kind: engine.RequestPause, Reason: "lunch", By: "grace"})
	for _, l := range looks {
		t.Run(l.name, func(t *testing.T) {
			l.look(&world{t: t, driver: w.driver, store: w.store, engine: w.engine, workflow: w.workflow}, s)
		})
	}
}

type sessions struct{ done, waits, paused, failed, pending *engine.Session }

// looks are in the order in which they are taken: the last one edits a step and starts a session.
var looks = []struct {
	name string
	look func(w *world, s sessions)
}{
	{"workflow", looksAtWorkflow},
	{"faults", looksForFaults},
	{"lists", looksAtLists},
	{"waiting", looksAtWaiting},
	{"stuck", looksWhyStuck},
	{"affected", looksWhoIsAffected},
	{"session", looksAtSession},
	{"lineage", looksAtLineage},
	{"statistics", looksAtStatistics},
	{"batches", looksAtBatches},
	{"texts", looksAtTexts},
}

func looksAtWorkflow(w *world, _ sessions) {
	if n := len(w.pastes("show_workflow", nil)); n != 4+4 { // a row for each path, and one for each step that none leads on from
		w.t.Errorf("%d rows for 7 steps and 4 paths", n)
	}
	var paths []string
	for _, p := range w.pastes("show_paths", nil) {
		paths = append(paths, fmt.Sprint(p["from"], " ", p["to"], " ", p["condition"]))
	}
	if want := []string{"ask greet @{SESSION_ID}.ask.response", `ask bye {"false": "@{SESSION_ID}.ask.response"}`, "greet work <nil>", "root ask <nil>"}; !slices.Equal(paths, want) {
		w.t.Errorf("paths are %q", paths)
	}
	step := w.pastes("show_step", map[string]any{"step": "ask"})
	if len(step) != 1 || step[0]["function"] != "ask" || fmt.Sprint(step[0]["comes_from"]) != "[root NEXT]" || len(step[0]["leads_to"].([]any)) != 2 {
		w.t.Errorf("the step is %v", step)
	}
	found := w.row(w.pastes("list_workflows", nil), "workflow", w.workflow)
	expect(w.t, found, map[string]any{"steps": int64(7), "paths": int64(4), "open_sessions": int64(4)})
}

func looksForFaults(w *world, s sessions) {
	var lost []string
	for _, r := range w.pastes("unreached_steps", nil) {
		lost = append(lost, r["step"].(string))
	}
	if !slices.Equal(lost, []string{"boom", "lacks"}) {
		w.t.Errorf("unreached are %v", lost)
	}
	if rows := w.pastes("unreached_steps", map[string]any{"entries": []any{"root", "boom", "lacks"}}); len(rows) != 0 {
		w.t.Errorf("unreached from all entries: %v", rows)
	}
	twin := w.workflow + "-twin"
	w.cypher("CREATE (:STEP {workflow: $w, id: 'one'}), (:STEP {workflow: $w, id: 'one'}), (:STEP {workflow: $w})", map[string]any{"w": twin})
	defer w.cypher("MATCH (s:STEP {workflow: $w}) DETACH DELETE s", map[string]any{"w": twin})
	var same []any
	for _, r := range w.pastes("duplicate_steps", nil) {
		if r["workflow"] == twin {
			same = append(same, r["step"])
		}
		if r["workflow"] == w.workflow {
			w.t.Errorf("counts as a duplicate: %v", r)
		}
	}
	if !slices.Equal(same, []any{"one", "one", nil}) {
		w.t.Errorf("duplicates are %v", same)
	}
	gone := w.workflow + "-gone"
	w.cypher("CREATE (:EXECUTION {id: $s + '/1', session: $s, seq: 1}), (:MESSAGE {id: $s + '/1', session: $s, n: 1})", map[string]any{"s": gone})
	defer w.cypher("MATCH (n:EXECUTION|MESSAGE {session: $s}) DELETE n", map[string]any{"s": gone})
	rows := w.pastes("orphans", map[string]any{"limit": 1_000_000})
	expect(w.t, w.row(rows, "session", gone), map[string]any{"executions": int64(1), "messages": int64(1), "requests": int64(0), "blobs": int64(0), "results": int64(0)})
	if slices.ContainsFunc(rows, func(r map[string]any) bool { return r["session"] == s.done.ID }) {
		w.t.Error("a session that is there counts as gone")
	}
}

func looksAtLists(w *world, s sessions) {
	got := map[string]int64{}
	for _, r := range w.pastes("sessions_by_status", nil) {
		if r["workflow"] == w.workflow {
			got[r["status"].(string)] = r["sessions"].(int64)
		}
	}
	if want := map[string]int64{"complete": 1, "awaiting_input": 1, "paused": 1, "error": 1, "pending": 1}; !maps.Equal(got, want) {
		w.t.Errorf("got %v, want %v", got, want)
	}
	if rows := w.pastes("sessions_of_workflow", nil); len(rows) != 1 || rows[0]["session"] != s.failed.ID {
		w.t.Errorf("in error are %v", rows)
	}
	late := w.workflow + "-late"
	w.cypher("CREATE (:SESSION {id: $s, workflow: $s, due_at: datetime({year: 1971})})", map[string]any{"s": late})
	defer w.cypher("MATCH (s:SESSION {id: $s}) DELETE s", map[string]any{"s": late})
	rows := w.pastes("overdue", map[string]any{"limit": 1_000_000})
	expect(w.t, w.row(rows, "session", late), map[string]any{"status": nil})
	if slices.ContainsFunc(rows, func(r map[string]any) bool { return r["workflow"] == w.workflow }) {
		w.t.Error("a session at rest counts as overdue")
	}
}

func looksAtWaiting(w *world, s sessions) {
	rows := w.pastes("waiting", map[string]any{"limit": 1_000_000})
	row := w.row(rows, "session", s.waits.ID)
	expect(w.t, row, map[string]any{"workflow": w.workflow, "last_said": "What is your name?"})
	if fmt.Sprint(row["steps"]) != "[ask]" || row["since"] == nil || row["waits"] == nil {
		w.t.Errorf("the row is %v", row)
	}
	if slices.ContainsFunc(rows, func(r map[string]any) bool { return r["session"] == s.done.ID }) {
		w.t.Error("a complete session waits")
	}
	expect(w.t, w.row(w.pastes("waiting_by_step", nil), "workflow", w.workflow), map[string]any{"step": "ask", "questions": int64(2)})
}

func looksWhyStuck(w *world, s sessions) {
	for _, c := range []struct {
		session *engine.Session
		want    []string // about, status and what the detail holds
	}{
		{s.waits, []string{"session|awaiting_input|", "questions|open|ask", "step root|complete|", "step ask|awaiting_input|"}},
		{s.paused, []string{"session|paused|", "step ask|awaiting_input|"}},
		{s.failed, []string{"session|error|", "step boom|error|", "visit 1: boom|error|no luck"}},
		{s.pending, []string{"session|pending|", "step lacks|pending|", "references|without value|nowhere.text"}},
		{s.done, []string{"session|complete|", "step work|complete|", `visit 2: ask|answered|"open":true`}},
	} {
		rows := w.pastes("stuck", map[string]any{"session": c.session.ID})
		for _, want := range c.want {
			if !slices.ContainsFunc(rows, func(r map[string]any) bool { return matches(r, strings.SplitN(want, "|", 3)) }) {
				w.t.Errorf("%s: no line %q among %v", c.session.Status, want, rows)
			}
		}
		steps := 0
		for _, r := range rows {
			if name, ok := strings.CutPrefix(r["about"].(string), "step "); ok {
				steps++
				if c.session.Steps[name] != r["status"] {
					w.t.Errorf("step %s is %v, the engine says %q", name, r["status"], c.session.Steps[name])
				}
			}
		}
		if steps != len(c.session.Steps) {
			w.t.Errorf("%d steps have a status, the engine says %v", steps, c.session.Steps)
		}
	}
}

func matches(r map[string]any, want []string) bool {
	detail, _ := r["detail"].(string)
	return r["about"] == want[0] && r["status"] == want[1] && strings.Contains(detail, want[2])
}

// The query says of every step what the engine says, from its own code.
func looksWhoIsAffected(w *world, _ sessions) {
	for _, step := range []string{"root", "ask", "greet", "work", "bye", "boom", "lacks"} {
		want, err := w.engine.Affected(context.Background(), engine.AffectedQuery{Workflow: w.workflow, Step: step})
		if err != nil {
			w.t.Fatal(err)
		}
		got := map[string]int{}
		for _, r := range w.pastes("affected", map[string]any{"step": step}) {
			got[r["place"].(string)] = int(r["sessions"].(int64))
		}
		if got["at"] != want.At.Count || got["before"] != want.Before.Count || got["behind"] != want.Behind.Count {
			w.t.Errorf("%s: %v, the engine says %+v", step, got, want)
		}
	}
	if rows := w.pastes("affected", map[string]any{"step": "work"}); len(rows) != 1 || rows[0]["place"] != "before" || rows[0]["sessions"] != int64(2) {
		w.t.Errorf("before work stand %v", rows)
	}
}

func looksAtSession(w *world, s sessions) {
	id := map[string]any{"session": s.done.ID}
	var said []string
	for _, m := range w.pastes("session_chat", id) {
		said = append(said, fmt.Sprint(m["role"], ": ", m["content"]))
	}
	if !slices.Equal(said, []string{"assistant: What is your name?", "user: Ada"}) {
		w.t.Errorf("said %q", said)
	}
	ask := w.row(w.pastes("session_history", id), "step", "ask")
	expect(w.t, ask, map[string]any{"status": "answered", "visit": int64(1), "attempt": int64(1), "seq": int64(2), "input": `{"prompt":"What is your name?"}`})
	if page := w.pastes("session_history", map[string]any{"session": s.done.ID, "before": 2}); len(page) != 1 || page[0]["step"] != "root" {
		w.t.Errorf("before the second ran %v", page)
	}
	led := 0
	for _, r := range w.pastes("session_walk", id) {
		if r["t"] != nil {
			led++
		}
	}
	if led != 3 {
		w.t.Errorf("%d paths between 4 visits", led)
	}
	expect(w.t, w.row(w.pastes("session_requests", id), "kind", "answer"), map[string]any{"who": "ada", "step": "ask", "applied": true})
	expect(w.t, w.row(w.pastes("session_requests", map[string]any{"session": s.paused.ID}), "kind", "pause"), map[string]any{"who": "grace", "outcome": "paused"})
	w.cypher("CREATE (:AUDIT {id: $s, session: $s, at: datetime(), who: 'desk', action: 'answerSession', status: 200})", map[string]any{"s": s.done.ID})
	defer w.cypher("MATCH (a:AUDIT {id: $s}) DELETE a", map[string]any{"s": s.done.ID})
	expect(w.t, w.row(w.pastes("session_audit", id), "who", "desk"), map[string]any{"action": "answerSession", "status": int64(200)})
	if rows := w.pastes("children", id); len(rows) != 1 || rows[0]["p"] != nil {
		w.t.Errorf("a session without children has %v", rows)
	}
	w.cypher("MATCH (s:SESSION {id: $s}) CREATE (:SESSION {id: $s + '-child'})-[:CHILD_OF]->(s)", map[string]any{"s": s.done.ID})
	defer w.cypher("MATCH (s:SESSION {id: $s + '-child'}) DETACH DELETE s", map[string]any{"s": s.done.ID})
	if rows := w.pastes("children", id); len(rows) != 1 || rows[0]["p"] == nil {
		w.t.Errorf("a session with a child has %v", rows)
	}
}

func looksAtLineage(w *world, s sessions) {
	var ways []string
	for _, r := range w.pastes("lineage", map[string]any{"execution": s.done.ID + "/4"}) {
		ways = append(ways, fmt.Sprint(r["far"], " ", r["way"]))
	}
	// Both relations lead from work to greet and from greet to ask; either is a shortest way.
	for i, want := range []string{"1 work greet", "2 work greet ask", "3 work greet ask root"} {
		if i >= len(ways) || strings.NewReplacer(" << ", " ", " <- ", " ").Replace(ways[i]) != want {
			w.t.Errorf("ways are %q, want %q at %d", ways, want, i)
		}
	}
	if rows := w.pastes("lineage", map[string]any{"execution": s.done.ID + "/1"}); len(rows) != 0 {
		w.t.Errorf("the first execution comes from %v", rows)
	}
}

func looksAtTexts(w *world, s sessions) {
	before := w.row(w.pastes("text_that_ran", map[string]any{"session": s.done.ID}), "step", "greet")
	if text, _ := before["text"].(string); !strings.Contains(text, "Hello @{SESSION_ID}.ask.response") || before["changed_since"] != false {
		w.t.Errorf("greet ran by %v", before)
	}
	w.pastes("edit_prompt", map[string]any{"step": "greet", "was": "Hello", "becomes": "Good day"})
	if _, err := w.engine.StartAndWait(w.patience(), engine.StartRequest{Workflow: w.workflow}); err != nil { // an engine reads it
		w.t.Fatal(err)
	}
	after := w.row(w.pastes("text_that_ran", map[string]any{"session": s.done.ID}), "step", "greet")
	expect(w.t, after, map[string]any{"text": before["text"], "changed_since": true})
	texts := w.pastes("step_texts", map[string]any{"step": "greet"})
	if len(texts) != 2 || texts[0]["text"] != before["text"] || !strings.Contains(texts[1]["text"].(string), "Good day") {
		w.t.Errorf("greet was %v", texts)
	}
}

func looksAtStatistics(w *world, _ sessions) {
	travelled := w.row(w.pastes("travelled_paths", nil), "from", "greet")
	expect(w.t, travelled, map[string]any{"to": "work", "path": "greet>work", "times": int64(1)})
	if rows := w.pastes("failures", nil); len(rows) != 1 || rows[0]["step"] != "boom" || rows[0]["failures"] != int64(1) || rows[0]["kind"] == nil {
		w.t.Errorf("failures are %v", rows)
	}
	asked := w.row(w.pastes("step_times", nil), "step", "ask")
	expect(w.t, asked, map[string]any{"status": "answered", "attempts": int64(1), "median": asked["longest"]})
}

func looksAtBatches(w *world, s sessions) {
	made, err := w.engine.StartBatch(w.patience(), engine.BatchRequest{Action: engine.RequestResume, By: "grace",
		Items: []engine.BatchItem{{Session: s.done.ID}, {Session: w.workflow + "-nobody"}}})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.engine.StopBatch(w.patience(), made.ID, "enough"); err != nil {
		w.t.Fatal(err)
	}
	defer w.cypher("MATCH (n:BATCH|BATCH_ITEM) WHERE n.id = $b OR n.batch = $b DELETE n", map[string]any{"b": made.ID})
	row := w.row(w.pastes("batches", map[string]any{"limit": 1000}), "batch", made.ID)
	expect(w.t, row, map[string]any{"action": "resume", "phase": "stopped", "total": int64(2), "done": int64(0), "open": int64(2), "message": "enough", "who": "grace"})
	var items []string
	for _, i := range w.pastes("batch_items", map[string]any{"batch": made.ID, "outcome": "open"}) {
		items = append(items, i["session"].(string))
	}
	if !slices.Equal(items, []string{s.done.ID, w.workflow + "-nobody"}) {
		w.t.Errorf("items are %v", items)
	}
}

// row is the first row whose column has a value.
func (w *world) row(rows []map[string]any, column string, value any) map[string]any {
	w.t.Helper()
	for _, r := range rows {
		if r[column] == value {
			return r
		}
	}
	w.t.Errorf("no row with %s = %v among %d", column, value, len(rows))
	return nil
}
