package engine_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/formats/native"
)

// A scenario is one file of testdata/scenarios: what is checked, in words; then sections,
// each below a line `-- NAME --`:
//
//	workflow.cypher or workflow.json   the graph
//	child.json                         a second workflow, for child sessions
//	script.json                        what the model replies, a script file
//	options.json                       engine.Options, where the defaults do not do
//	events                             a line each, see scenario_events_test.go
//
// and, written by -update, what came of it:
//
//	seen         after each event: the session's status, its steps, its questions
//	state.json   the state at the end
//	executions   the history: seq step visit/attempt status, and the lineage
//	requests     what came from outside, and its outcome
//	calls        the keys under which effects were called, and how often
type scenario struct {
	name     string
	path     string
	words    string
	order    []string // sections as they stand in the file
	sections map[string]string
	workflow *engine.Workflow
	child    *engine.Workflow
	options  engine.Options
	events   []event
}

// An event is one line of a scenario.
type event struct {
	line   string // as written
	verb   string
	rest   string
	refuse string // text of the error it must meet, "" for none
}

func readScenario(t testing.TB, path string) *scenario {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &scenario{path: path, name: strings.TrimSuffix(filepath.Base(path), ".txtar"), sections: map[string]string{}}
	s.split(string(text))
	if err := s.read(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return s
}

// split cuts a file into its sections.
func (s *scenario) split(text string) {
	name := ""
	for _, line := range strings.SplitAfter(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if inner, ok := strings.CutPrefix(trimmed, "-- "); ok && strings.HasSuffix(inner, " --") {
			name = strings.TrimSuffix(inner, " --")
			s.order = append(s.order, name)
			s.sections[name] = ""
			continue
		}
		if name == "" {
			s.words += line
			continue
		}
		s.sections[name] += line
	}
}

func (s *scenario) read() error {
	if strings.TrimSpace(s.words) == "" {
		return fmt.Errorf("the file begins with a sentence that says what is checked")
	}
	if text := s.sections["options.json"]; text != "" {
		if err := json.Unmarshal([]byte(text), &s.options); err != nil {
			return fmt.Errorf("options.json: %w", err)
		}
	}
	if err := s.readWorkflow(); err != nil {
		return err
	}
	for _, line := range strings.Split(s.sections["events"], "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e := event{line: line}
		line, e.refuse, _ = strings.Cut(line, " => ")
		e.verb, e.rest, _ = strings.Cut(strings.TrimSpace(line), " ")
		e.rest = strings.TrimSpace(e.rest)
		s.events = append(s.events, e)
	}
	return nil
}

func (s *scenario) readWorkflow() error {
	if text := s.sections["child.json"]; text != "" {
		child, err := readNative(text)
		if err != nil {
			return fmt.Errorf("child.json: %w", err)
		}
		s.child = child
	}
	if text := s.sections["workflow.json"]; text != "" {
		w, err := readNative(text)
		s.workflow = w
		return err
	}
	loaded, err := formats.Load("workflow.cypher", []byte(s.sections["workflow.cypher"]))
	if err != nil {
		return err
	}
	if len(loaded.Workflows) != 1 {
		return fmt.Errorf("workflow.cypher holds %d workflows, want one", len(loaded.Workflows))
	}
	s.workflow = &loaded.Workflows[0]
	return nil
}

// readNative reads our own JSON, whose first two keys a scenario leaves out.
func readNative(text string) (*engine.Workflow, error) {
	text = strings.Replace(text, "{", `{"format": "stepgraph", "version": 1, `, 1)
	w, _, err := native.Read("workflow.json", []byte(text))
	return w, err
}

// goldens are the sections that -update writes, in the order they get.
var goldens = []string{"seen", "state.json", "executions", "requests", "calls"}

// write puts fresh goldens behind what people wrote.
func (s *scenario) write(fresh map[string]string) error {
	var b strings.Builder
	b.WriteString(s.words)
	for _, name := range s.order {
		if _, generated := fresh[name]; generated || isGolden(name) {
			continue
		}
		fmt.Fprintf(&b, "-- %s --\n%s", name, s.sections[name])
	}
	for _, name := range goldens {
		if fresh[name] != "" {
			fmt.Fprintf(&b, "-- %s --\n%s", name, fresh[name])
		}
	}
	return os.WriteFile(s.path, []byte(b.String()), 0o644)
}

func isGolden(name string) bool {
	for _, g := range goldens {
		if g == name {
			return true
		}
	}
	return false
}
