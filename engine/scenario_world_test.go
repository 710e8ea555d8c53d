package engine_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/storetest/faults"
	"github.com/stepgraph/stepgraph/models/script"
)

// A world is one play of a scenario: a store, the engine that runs on it now, the
// functions it calls and the person at the keyboard. Names of scenarios ("A" for the first
// session, "W" for its workflow) carry a prefix in the store, because a real one is shared.
type world struct {
	t      testing.TB
	s      *scenario
	store  engine.Store
	bubble bool // time is that of a synctest bubble: ticks take none
	fakes  *fakes
	prefix string
	want   []string // what has to be seen after each event, where the clock is real

	quiet   *slog.Logger         // replaces the test's log
	plan    faults.Plan          // of the engine's connection to the store
	started func(*engine.Engine) // called with each engine before it runs

	engine   *engine.Engine
	process  *faults.Store // its connection to the store
	stopRun  func()
	keys     map[string]string // ids of sessions, by the key they were started with
	sessions []string          // names of the sessions started, oldest first
	current  string            // the name of the session that events speak of
	seen     []string
}

func newWorld(t testing.TB, s *scenario, store engine.Store, bubble bool) *world {
	w := &world{t: t, s: s, store: store, bubble: bubble, fakes: newFakes(), keys: map[string]string{}, prefix: freshPrefix()}
	w.begin()
	return w
}

// freshPrefix keeps the names of one play apart from those of others on the same store.
func freshPrefix() string { return strings.ToLower(rand.Text()[:10]) + "-" }

// begin starts the first engine and stores the scenario's workflows.
func (w *world) begin() {
	t, s, store := w.t, w.s, w.store
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := s.sections["script.json"]; text != "" {
		file, err := script.Parse([]byte(text))
		if err != nil {
			t.Fatalf("script.json: %v", err)
		}
		w.fakes.model = script.New(file)
	}
	w.startEngine()
	if s.child != nil {
		child := *s.child
		child.ID = w.prefix + "child"
		if _, err := w.engine.Put(t.Context(), &child, engine.PutOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	workflow := *s.workflow
	workflow.ID = w.prefix + "W"
	if _, err := w.engine.Put(t.Context(), &workflow, engine.PutOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
}

// leaseFor is the lease in plays on the real clock in which an engine dies.
const leaseFor = 3 * time.Second

func (w *world) startEngine() {
	o := w.s.options
	o.Log = slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	if w.quiet != nil {
		o.Log = w.quiet
	}
	o.Name = "scenario"
	if !w.bubble {
		o.PollEvery = 50 * time.Millisecond
		o.ReadEvery = time.Millisecond // ticks need not last as long as they say
		if w.s.has("crash") {
			o.LeaseFor, o.StopGrace = leaseFor, 10*time.Millisecond
		}
	}
	w.process = faults.Wrap(w.store, w.plan)
	w.engine = engine.New(w.process, w.fakes.registry(), o)
	if w.started != nil {
		w.started(w.engine)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	done := make(chan error, 1)
	running := w.engine
	go func() { done <- running.Run(ctx) }()
	w.stopRun = func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Errorf("engine: %v", err)
		}
	}
}

// stop ends the engine in good order.
func (w *world) stop() { w.stopRun() }

// crash ends the engine as kill -9 does, as far as its store can tell, and lets its leases
// end before another engine starts.
func (w *world) crash() {
	w.process.Die()
	w.fakes.kill()
	w.stopRun()
	if w.bubble {
		time.Sleep(15*time.Second + time.Millisecond)
	}
	w.startEngine()
}

// has reports whether the scenario has an event of a verb.
func (s *scenario) has(verb string) bool {
	return slices.ContainsFunc(s.events, func(e event) bool { return e.verb == verb })
}

// event plays one event and notes what is seen after it.
func (w *world) event(n int, e event) {
	refused := w.plain(errorText(w.do(e)))
	if refused == "" && e.refuse != "" || !strings.Contains(refused, e.refuse) || refused != "" && e.refuse == "" {
		w.t.Fatalf("%s: got error %q, want one with %q", e.line, refused, e.refuse)
	}
	w.settle(n, e)
}

// errorText is all that an error says, with its places.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	var detail *engine.DetailError
	if errors.As(err, &detail) {
		for _, f := range detail.Faults {
			text += "; " + f.Pointer + ": " + f.Message
		}
	}
	return text
}

// settle lets the engine do what it can do now.
func (w *world) settle(n int, e event) {
	if w.bubble {
		synctest.Wait()
		w.seen = append(w.seen, e.line+"\n"+w.look())
		return
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	every := time.NewTicker(10 * time.Millisecond)
	defer every.Stop()
	for {
		seen := e.line + "\n" + w.look()
		if n >= len(w.want) || seen == w.want[n] && w.rests() {
			w.seen = append(w.seen, seen)
			return
		}
		if w.movedOn(n, seen) && w.rests() {
			w.seen = append(w.seen, w.want[n])
			return
		}
		select {
		case <-every.C:
		case <-deadline.C:
			w.t.Fatalf("event %d does not lead to what the memory store shows\n--- got\n%s--- want\n%s", n+1, seen, w.want[n])
		}
	}
}

// movedOn reports whether a timer fell due before anybody looked: what the fake clock shows
// only after the next tick is there already. On a busy machine 50 ms are soon over.
func (w *world) movedOn(n int, seen string) bool {
	_, now, _ := strings.Cut(seen, "\n")
	if n+1 >= len(w.want) || !strings.Contains(w.want[n], " active: ") {
		return false
	}
	event, next, _ := strings.Cut(w.want[n+1], "\n")
	return strings.HasPrefix(event, "tick ") && now == next && !strings.Contains(now, " active: ") // it has come to rest
}

// rests reports whether the engine has done for every session what it can do now: its inbox
// is read, nobody holds it unless a call is under way, and it is not due.
func (w *world) rests() bool {
	for _, name := range w.family() {
		rec, err := w.store.Session(w.t.Context(), w.prefix+name)
		if err != nil {
			continue // deleted
		}
		var counted struct {
			Seen int64 `json:"seen"`
		}
		if len(rec.Counters) > 0 {
			if err := json.Unmarshal(rec.Counters, &counted); err != nil {
				w.t.Fatal(err)
			}
		}
		if _, err := engine.ParseState(rec.ID, rec.State); err != nil && rec.Lease == "" {
			continue // nothing can be applied to it
		}
		due := rec.Lease == "" && !rec.DueAt.IsZero() && !rec.DueAt.After(time.Now())
		if rec.Inbox > counted.Seen || due || rec.Lease != "" && len(w.fakes.waiting()) == 0 {
			return false
		}
	}
	return true
}

// plain replaces the names of this play by those of the scenario, and the size of a state,
// which depends on how many digits the time has.
func (w *world) plain(text string) string {
	text = waitedUntil.ReplaceAllString(strings.ReplaceAll(text, w.prefix, ""), `"waited_until":"TIME"`)
	return stateSize.ReplaceAllString(text, "the state would have N bytes")
}

var waitedUntil = regexp.MustCompile(`"waited_until":"[^"]*"`)

var stateSize = regexp.MustCompile(`the state would have \d+ bytes`)

// id is the id of the session that events speak of.
func (w *world) id() string { return w.prefix + w.current }

func (w *world) nextName() string {
	name := string(rune('A' + len(w.sessions)))
	w.sessions = append(w.sessions, name)
	w.current = name
	return name
}

// look says in a few lines where the sessions stand, as an engine sees it that has read
// nothing before.
func (w *world) look() string {
	var b strings.Builder
	viewer := engine.New(w.store, w.fakes.registry(), engine.Options{})
	for _, name := range w.family() {
		s, err := viewer.Session(w.t.Context(), w.prefix+name)
		if err != nil {
			if !errors.Is(err, engine.ErrSessionNotFound) {
				w.t.Fatal(err)
			}
			fmt.Fprintf(&b, "  %s: not found\n", name)
			continue
		}
		w.lookAt(&b, name, s)
	}
	if waiting := w.fakes.waiting(); len(waiting) > 0 {
		fmt.Fprintf(&b, "  under way: %s\n", strings.Join(waiting, ", "))
	}
	return b.String()
}

// family is the names of all sessions, each followed by its child sessions.
func (w *world) family() []string {
	var all []string
	var add func(name string)
	add = func(name string) {
		all = append(all, name)
		children, err := w.store.Children(w.t.Context(), w.prefix+name)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, id := range children {
			add(strings.TrimPrefix(id, w.prefix))
		}
	}
	for _, name := range w.sessions {
		add(name)
	}
	return all
}

func (w *world) lookAt(b *strings.Builder, name string, s *engine.Session) {
	fmt.Fprintf(b, "  %s %s:", name, s.Status)
	for i, step := range sortedSteps(s.Steps) {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(b, " %s %s", step, s.Steps[step])
	}
	b.WriteString("\n")
	slices.SortStableFunc(s.Awaiting, func(a, b engine.Question) int { return cmp.Compare(a.Session, b.Session) }) // children ask at the same time
	for _, q := range s.Awaiting {
		fmt.Fprintf(b, "    asks %s\n", describeQuestion(q))
	}
	if s.Error != nil {
		fmt.Fprintf(b, "    error of %q, %s: %s\n", s.Error.Step, s.Error.Kind, w.plain(s.Error.Message))
	}
	for _, p := range s.Problems {
		fmt.Fprintf(b, "    problem %s: %s", cmp.Or(p.Path, p.Step), w.plain(p.Message))
		if len(p.Missing) > 0 {
			fmt.Fprintf(b, " (missing %s)", strings.Join(p.Missing, ", "))
		}
		b.WriteString("\n")
	}
}

func describeQuestion(q engine.Question) string {
	text := fmt.Sprintf("%s/%d/%d %s %q", q.Step, q.Visit, q.Ask, q.Kind, q.Prompt)
	for _, o := range q.Options {
		text += " | " + o.Text
	}
	if q.Due != nil {
		text += fmt.Sprintf(", due in %s", q.Due.Sub(q.Since))
	}
	if q.Answered {
		text += ", answered"
	}
	if q.Gone {
		text += ", gone"
	}
	return text
}

func sortedSteps(steps map[string]string) []string {
	ids := make([]string, 0, len(steps))
	for id := range steps {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
