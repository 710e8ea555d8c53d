package retention_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/memory"
)

func TestParseKeep(t *testing.T) {
	for text, want := range map[string]string{
		"complete=30d":                         "complete=720h0m0s",
		"complete=30d,cancelled=7d":            "cancelled=168h0m0s complete=720h0m0s",
		"ended=12h,error=forever":              "cancelled=12h0m0s complete=12h0m0s error=forever",
		"error=forever,ended=12h":              "cancelled=12h0m0s complete=12h0m0s error=forever",
		"chat:complete=1d,complete=2w":         "chat:complete=24h0m0s complete=336h0m0s",
		"a:b:error=90m":                        "a:b:error=1h30m0s",
		"complete":                             "!want STATUS=AGE",
		"complete=30":                          "!needs a unit",
		"complete=":                            "!needs a unit",
		"complete=-3d":                         "!not an age",
		"awaiting_input=30d":                   "!never removed",
		":complete=30d":                        "!workflow before the colon",
		"complete=NaNd":                        "!not an age",
		"complete=99999999999999999999999999h": "!not an age",
	} {
		keep, err := retention.ParseKeep(strings.Split(text, ","))
		got := strings.Join(keep.Rules(), " ")
		if part, bad := strings.CutPrefix(want, "!"); bad && (err == nil || !strings.Contains(err.Error(), part)) || !bad && got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	keep, _ := retention.ParseKeep([]string{"complete=2d", "chat:complete=1d", "audit:complete=forever"})
	for workflow, want := range map[string]string{"chat": "24h0m0s true", "audit": "-1ns false", "other": "48h0m0s true"} {
		age, ends := keep.Age(workflow, "complete")
		if got := fmt.Sprint(age, ends); got != want {
			t.Errorf("%s: %s, want %s", workflow, got, want)
		}
	}
}

// A world is a store in memory under a clock, and what prunes it.
type world struct {
	*testing.T
	now   time.Time
	store *memory.Store
	keep  retention.Keep
}

func newWorld(t *testing.T, rules ...string) *world {
	w := &world{T: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	w.store = memory.New(memory.Options{Now: func() time.Time { return w.now }})
	var err error
	if w.keep, err = retention.ParseKeep(rules); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) FindEnded(ctx context.Context, q retention.Query) (*retention.Page, error) {
	return (&retention.Remover{Store: w.store}).FindEnded(ctx, q)
}

func (w *world) RemoveEnded(ctx context.Context, owner string, families []retention.Family) error {
	return (&retention.Remover{Store: w.store}).RemoveEnded(ctx, owner, families)
}

func (w *world) WriteDocument(ctx context.Context, id string, to io.Writer) error {
	return retention.WriteDocument(ctx, w.store, nil, id, to)
}

// session makes one at rest with a status, below a parent if its id has a slash.
func (w *world) session(id, workflow, status string, change ...func(*store.Checkpoint)) {
	w.Helper()
	root, _, _ := strings.Cut(id, "/")
	n := store.NewSession{ID: id, Workflow: workflow, Status: engine.StatusActive, Root: root, State: []byte(`{}`), Labels: map[string]string{"of": workflow},
		Claim: &store.Lease{Token: "t" + id, Owner: "w", For: time.Minute}}
	if i := strings.LastIndex(id, "/"); i > 0 {
		n.Parent = id[:i]
	}
	made, err := w.store.Create(w.Context(), []store.NewSession{n})
	if err != nil || made[0].Err != nil {
		w.Fatal(err, made[0].Err)
	}
	c := store.Checkpoint{Session: id, Lease: "t" + id, Transition: "x" + id, State: []byte(`{"data":{}}`), Status: status, Release: true,
		Records: store.Records{Executions: []engine.Execution{{ID: id + "/1", Session: id, Seq: 1, Step: "root", Visit: 1, Status: "complete"}},
			Messages: []engine.Message{{ID: id + "/1", N: 1, Role: "assistant", Content: "hello <" + id + ">"}}}}
	for _, f := range change {
		f(&c)
	}
	done, err := w.store.Commit(w.Context(), []store.Checkpoint{c})
	if err != nil || done[0].Outcome != store.Committed {
		w.Fatal(err, done)
	}
}

func (w *world) there() string {
	list, err := w.store.ListSessions(w.Context(), engine.SessionQuery{Limit: 1000})
	if err != nil {
		w.Fatal(err)
	}
	ids := map[string]bool{}
	for i := range list {
		ids[list[i].ID] = true
	}
	return strings.Join(sorted(ids), " ")
}

func sorted(m map[string]bool) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	for i := range keys {
		for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}

func (w *world) run(dir string) retention.Total {
	w.Helper()
	total, err := retention.RunThrough(w.Context(), w, retention.Query{Keep: w.keep, Owner: "me", Limit: 3}, dir, retention.Pace{})
	if err != nil {
		w.Fatal(err)
	}
	return total
}

func TestWhatGoes(t *testing.T) {
	w := newWorld(t, "complete=10d", "cancelled=5d", "chat:complete=forever")
	w.session("done", "w", "complete")
	w.session("failed", "w", "error")
	w.session("asks", "w", "awaiting_input")
	w.session("chat", "chat", "complete")
	w.session("stopped", "w", "cancelled")
	w.session("parent", "w", "complete")
	w.session("parent/a/1/0", "w", "complete")
	w.session("parent/a/1/0/b/1/0", "w", "error")
	w.session("busy", "w", "complete")
	w.session("busy/a/1/0", "w", "awaiting_input")
	w.session("due", "w", "complete", func(c *store.Checkpoint) { c.DueAt = w.now.Add(time.Hour) })
	w.now = w.now.Add(6 * 24 * time.Hour)
	w.session("young", "w", "complete")
	w.run("")
	if got, want := w.there(), "asks busy busy/a/1/0 chat done due failed parent parent/a/1/0 parent/a/1/0/b/1/0 young"; got != want {
		t.Errorf("after 6 days %s\nwant %s", got, want)
	}
	w.now = w.now.Add(5 * 24 * time.Hour)
	dry, err := retention.Prune(t.Context(), w, retention.Query{Keep: w.keep}, nil, retention.Pace{}, true)
	if err != nil || dry.Found != 4 || dry.Of["w,complete"] != 4 || dry.Spared[retention.SparedLive] != 2 {
		t.Errorf("dry run %+v, %v", dry, err)
	}
	w.run("")
	if got, want := w.there(), "asks busy busy/a/1/0 chat due failed young"; got != want {
		t.Errorf("after 11 days %s\nwant %s", got, want)
	}
}

func TestLabelsAndWorkflow(t *testing.T) {
	w := newWorld(t, "complete=1h")
	w.session("a", "one", "complete")
	w.session("b", "two", "complete")
	w.now = w.now.Add(2 * time.Hour)
	for _, q := range []retention.Query{{Workflow: "none"}, {Labels: map[string]string{"of": "none"}}, {Labels: map[string]string{"other": "one"}}} {
		q.Keep = w.keep
		if total, err := retention.Prune(t.Context(), w, q, nil, retention.Pace{}, false); err != nil || total.Removed != 0 {
			t.Errorf("%+v: %+v, %v", q, total, err)
		}
	}
	q := retention.Query{Keep: w.keep, Workflow: "two", Labels: map[string]string{"of": "two"}}
	if total, err := retention.Prune(t.Context(), w, q, nil, retention.Pace{}, false); err != nil || total.Removed != 1 || w.there() != "a" {
		t.Errorf("%+v, %v, left %s", total, err, w.there())
	}
}

func TestOneAtATime(t *testing.T) {
	w := newWorld(t, "complete=1h")
	w.session("a", "w", "complete")
	w.now = w.now.Add(2 * time.Hour)
	if _, err := w.FindEnded(t.Context(), retention.Query{Keep: w.keep, Owner: "other"}); err != nil {
		t.Fatal(err)
	}
	if _, err := retention.RunThrough(t.Context(), w, retention.Query{Keep: w.keep, Owner: "me"}, "", retention.Pace{}); !errors.Is(err, store.ErrDutyTaken) {
		t.Errorf("beside another one: %v", err)
	}
	w.now = w.now.Add(time.Minute)
	if w.run(""); w.there() != "" {
		t.Errorf("left %s", w.there())
	}
}

func TestArchiveReadsBack(t *testing.T) {
	w := newWorld(t, "ended=1h")
	dir := t.TempDir()
	blob := strings.Repeat("0123456789abcdef", 2)
	w.session("p", "w", "complete", func(c *store.Checkpoint) {
		c.State = []byte(`{"data":{"outputs":{"big":[{"@blob":"` + blob + `","bytes":3}]}}}`)
		c.Blobs = []store.Blob{{Session: "p", Hash: blob, Text: []byte("abc")}}
		c.Executions = append(c.Executions, engine.Execution{ID: "p/2", Session: "p", Seq: 2, Step: "big", Visit: 1, Function: "utils.loop.loop", Status: "complete",
			Reads: []engine.Lineage{{Execution: "p/1", Label: "r"}}})
		c.Results = []store.StoredResult{{Session: "p", Step: "big", Visit: 1, Index: 0, Output: []byte(`{"n":1}`)}}
	})
	w.session("p/c/1/0", "w", "complete")
	for i := range 50 {
		w.session(fmt.Sprint("s", i), "w", "complete")
	}
	w.now = w.now.Add(2 * time.Hour)
	if total := w.run(dir); total.Removed != 52 || total.Archived != 52 || w.there() != "" {
		t.Fatalf("%+v, left %s", total, w.there())
	}
	if total := w.run(dir); total.Removed != 0 {
		t.Errorf("again %+v", total)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 {
		t.Errorf("files %v, want one: a run that finds nothing writes none", files)
	}
	lines, err := retention.Read(dir, "p")
	if err != nil {
		t.Fatal(err)
	}
	d := retention.Assemble(lines)
	if d.Session.Status != "complete" || len(d.Executions) != 2 || len(d.Executions[1].Reads) != 1 || d.Messages[0].Content != "hello <p>" ||
		len(d.Blobs) != 1 || d.Blobs[0].Text != "abc" || len(d.Results) != 1 || string(d.Results[0].Output) != `{"n":1}` {
		t.Errorf("document %+v", d)
	}
	for _, id := range []string{"p/c/1/0", "s49"} {
		if lines, err := retention.Read(dir, id); err != nil || retention.Assemble(lines).Session.ID != id {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := retention.Read(dir, "never"); !errors.Is(err, store.ErrSessionNotFound) {
		t.Errorf("one that never was: %v", err)
	}
}

// cut is a source that dies at its n-th removal, before or after the removal was made.
type cut struct {
	*world
	left  int
	after bool
}

var errKilled = errors.New("killed")

func (c *cut) RemoveEnded(ctx context.Context, owner string, families []retention.Family) error {
	if c.left--; c.left == 0 {
		if c.after {
			_ = c.world.RemoveEnded(ctx, owner, families)
		} else {
			_ = c.world.RemoveEnded(ctx, owner, families[:len(families)/2])
		}
		return errKilled
	}
	return c.world.RemoveEnded(ctx, owner, families)
}

// TestCutOffAnywhere cuts a run off at each removal, tears the file at any byte behind what was
// synced, and wants each session in the files once and none in the store after the next run.
func TestCutOffAnywhere(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for _, after := range []bool{false, true} {
			for _, torn := range []string{"", `{"settl`, `{"family":{"session":"s`, `{"family":{"session":"zz","marks":[{"id":"zz"}]}}` + "\n" + `{"session":{"id":"zz"`} {
				w := newWorld(t, "complete=1h")
				dir := t.TempDir()
				for i := range 50 {
					w.session(fmt.Sprint("s", i), "w", "complete")
				}
				w.now = w.now.Add(2 * time.Hour)
				_, err := retention.RunThrough(t.Context(), &cut{w, n, after}, retention.Query{Keep: w.keep, Owner: "dead", Limit: 20}, dir, retention.Pace{})
				if !errors.Is(err, errKilled) {
					t.Fatal(err)
				}
				files, _ := filepath.Glob(filepath.Join(dir, "*"))
				f, err := os.OpenFile(files[0], os.O_WRONLY|os.O_APPEND, 0)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.WriteString(torn); err != nil {
					t.Fatal(err)
				}
				f.Close()
				w.now = w.now.Add(time.Minute) // the dead one's duty ends
				w.run(dir)
				w.wantOnce(dir, 50)
			}
		}
	}
}

// wantOnce wants n sessions in the files, each once, and none in the store.
func (w *world) wantOnce(dir string, n int) {
	w.Helper()
	if w.there() != "" {
		w.Errorf("left in the store: %s", w.there())
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	var all []byte
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			w.Fatal(err)
		}
		if !bytes.Contains(text, []byte(`{"closed":`)) {
			w.Errorf("%s has no end", name)
		}
		all = append(all, text...)
	}
	for i := range n {
		if got := bytes.Count(all, fmt.Appendf(nil, `{"end":"s%d"}`, i)); got != 1 {
			w.Errorf("s%d is %d times in the files", i, got)
		}
	}
	if bytes.Contains(all, []byte(`"zz"`)) {
		w.Errorf("a torn family is left")
	}
}

// TestTakenUpMeanwhile: a session that a person takes up between its archiving and its removal
// stays, and the copy in the file does not hide the later one.
func TestTakenUpMeanwhile(t *testing.T) {
	w := newWorld(t, "error=1h")
	dir := t.TempDir()
	w.session("s", "w", "error")
	w.now = w.now.Add(2 * time.Hour)
	_, err := retention.RunThrough(t.Context(), taker{w}, retention.Query{Keep: w.keep, Owner: "me"}, dir, retention.Pace{})
	if err != nil || w.there() != "s" {
		t.Fatalf("%v, there %q", err, w.there())
	}
	claimed, err := w.store.ClaimByID(t.Context(), []string{"s"}, store.ClaimOptions{Owner: "w", For: time.Minute, Token: func() string { return "again" }})
	if err != nil || len(claimed) != 1 {
		t.Fatal(err, claimed)
	}
	rec := claimed[0].Session
	done, err := w.store.Commit(t.Context(), []store.Checkpoint{{Session: "s", Version: rec.Version, Lease: "again", Transition: "later", Status: "error",
		State: []byte(`{"later":true}`), Seen: rec.Inbox, Release: true}})
	if err != nil || done[0].Outcome != store.Committed {
		t.Fatal(err, done)
	}
	w.now = w.now.Add(2 * time.Hour)
	w.run(dir)
	lines, err := retention.Read(dir, "s")
	if err != nil || w.there() != "" || string(lines[0].Session.State) != `{"later":true}` {
		t.Errorf("%v, there %q, %+v", err, w.there(), lines)
	}
}

// taker retries each session before it is removed.
type taker struct{ *world }

func (w taker) RemoveEnded(ctx context.Context, owner string, families []retention.Family) error {
	for i := range families {
		_, err := w.store.Deliver(ctx, []store.Delivery{{Session: families[i].Session, Key: "k",
			Decide: func(store.InboxView) (*engine.Request, error) {
				return &engine.Request{Key: "k", Kind: engine.RequestRetry}, nil
			}}})
		if err != nil {
			return err
		}
	}
	return w.world.RemoveEnded(ctx, owner, families)
}

func TestDocumentsHaveResultsOfRounds(t *testing.T) {
	w := newWorld(t, "ended=1h")
	w.session("p", "w", "complete", func(c *store.Checkpoint) {
		for i, step := range []string{"each", "plain"} {
			c.Executions = append(c.Executions, engine.Execution{ID: fmt.Sprint("p/", i+2), Session: "p", Seq: int64(i + 2), Step: step, Visit: 1, Function: step, Status: "complete"})
			c.Results = append(c.Results, store.StoredResult{Session: "p", Step: step, Visit: 1, Output: []byte(`{"n":1}`)})
		}
	})
	for want, rounds := range map[int]func(string) bool{2: nil, 1: func(function string) bool { return function == "each" }} {
		var b strings.Builder
		if err := retention.WriteDocument(t.Context(), w.store, rounds, "p", &b); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), `"result":`); got != want {
			t.Errorf("%d results, want %d: %s", got, want, b.String())
		}
	}
}
