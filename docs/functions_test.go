package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/formats/native"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/files"
	"github.com/stepgraph/stepgraph/functions/mcp"
	"github.com/stepgraph/stepgraph/functions/shell"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/script"
)

// An example is docs/functions/examples/NAME.json: a workflow that shows one function, with
// the replies of models and the answers of people that it takes, and what it came to.
type example struct {
	Workflow json.RawMessage   `json:"workflow"`
	Script   json.RawMessage   `json:"script,omitempty"`  // a script file
	Answers  []json.RawMessage `json:"answers,omitempty"` // in order
	Also     json.RawMessage   `json:"also,omitempty"`    // a second workflow, for subflow
	Result   json.RawMessage   `json:"result"`            // written by -update
}

// TestFunctionPages keeps a page for each function, made from its code, with one example
// that has really run.
func TestFunctionPages(t *testing.T) {
	registry := engine.NewRegistry()
	functions.Standard(registry, allowed(t, nil))
	registry.Add(mcp.Spec(mcp.NewPool(mcp.Options{})))
	var index bytes.Buffer
	index.WriteString("# Functions\n\nWhat steps can call. These pages are made from the code: `go test ./docs -run TestFunctionPages -update`.\n\n| function | does |\n|---|---|\n")
	for _, spec := range registry.Specs() {
		name := pageName(spec)
		fmt.Fprintf(&index, "| [%s](%s.md) | %s |\n", spec.Name, name, spec.Description)
		t.Run(name, func(t *testing.T) {
			shown := readExample(t, name)
			result := shown.play(t)
			if *update {
				shown.Result = result
				shown.write(t, name)
			} else if !sameJSON(result, shown.Result) {
				t.Errorf("the example gives %s, its page says %s; see -update", result, shown.Result)
			}
			keep(t, filepath.Join("functions", name+".md"), page(spec, name, shown))
		})
	}
	keep(t, filepath.Join("functions", "README.md"), index.Bytes())
}

// pageName is what a page is called: the last word of the seed's names, any other in full.
func pageName(spec *engine.Spec) string {
	if strings.HasPrefix(spec.Name, "utils.") {
		return spec.Name[strings.LastIndex(spec.Name, ".")+1:]
	}
	return spec.Name
}

// allowed are options under which every function runs.
func allowed(t *testing.T, model models.Model) functions.Options {
	return functions.Options{Files: files.Options{Dir: t.TempDir()}, Models: modelOf{model}, AllowNet: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Shell: shell.Options{Allow: true}}
}

type modelOf struct{ model models.Model }

func (m modelOf) Model(name string) (models.Model, string, error) { return m.model, name, nil }
func (m modelOf) Endpoint(models.Endpoint) (models.Model, error)  { return m.model, nil }

func readExample(t *testing.T, name string) *example {
	t.Helper()
	file := filepath.Join("functions", "examples", name+".json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("a function without an example: %v", err)
	}
	e := &example{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(e); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return e
}

func (e *example) write(t *testing.T, name string) {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(e); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("functions", "examples", name+".json"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// play runs an example and gives what its session came to, or where it stands.
func (e *example) play(t *testing.T) json.RawMessage {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(exampleServer))
	t.Cleanup(server.Close)
	model := script.New(script.File{})
	if e.Script != nil {
		file, err := script.Parse(e.Script)
		if err != nil {
			t.Fatal(err)
		}
		model = script.New(file)
	}
	registry := engine.NewRegistry()
	functions.Standard(registry, allowed(t, model))
	registry.Add(mcp.Spec(mcp.NewPool(mcp.Options{})))
	game := enginetest.Game{Workflow: readWorkflow(t, e.Workflow), Registry: registry, Session: "example", Inputs: map[string]string{"server": server.URL}}
	if e.Also != nil {
		game.Also = []*engine.Workflow{readWorkflow(t, e.Also)}
	}
	for _, answer := range e.Answers {
		game.Answers = append(game.Answers, enginetest.Say(answer))
	}
	result := enginetest.Play(t, game)
	out := map[string]any{"status": result.Session.Status}
	if result.Session.Result != nil {
		out["result"] = result.Session.Result
	}
	if result.Session.Error != nil {
		out["error"] = result.Session.Error
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(text, []byte(strings.TrimPrefix(server.URL, "http://")), []byte("SERVER"))
}

// exampleServer stands for the services examples call.
func exampleServer(w http.ResponseWriter, r *http.Request) {
	w.Header()["Date"] = nil
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/graphql":
		fmt.Fprint(w, `{"data": {"country": {"capital": "Paris"}}}`)
	default:
		fmt.Fprintf(w, `{"path": %q, "city": %q, "degrees": 21}`, r.URL.Path, r.URL.Query().Get("city"))
	}
}

func readWorkflow(t *testing.T, text json.RawMessage) *engine.Workflow {
	t.Helper()
	w, _, err := native.Read("example.json", text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func sameJSON(a, b json.RawMessage) bool {
	var ca, cb bytes.Buffer
	return json.Compact(&ca, a) == nil && json.Compact(&cb, b) == nil && bytes.Equal(ca.Bytes(), cb.Bytes())
}

// keep compares a file with what it should be, or writes it.
func keep(t *testing.T, file string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the code gives: go test ./docs -run TestFunctionPages -update (%v)", file, err)
	}
}

// page is a function's page.
func page(spec *engine.Spec, name string, shown *example) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", spec.Name, spec.Description)
	if len(spec.Aliases) > 0 {
		fmt.Fprintf(&b, "Also called `%s`.\n", strings.Join(spec.Aliases, "`, `"))
	}
	if spec.Effects {
		b.WriteString("It has effects: everything before it is durable when it starts, and it may run again after a crash, under the same key.\n")
	} else {
		b.WriteString("It is pure: its output is all that it does.\n")
	}
	if spec.Limit > 0 {
		fmt.Fprintf(&b, "One engine makes %d calls of it at once; further ones wait.\n", spec.Limit)
	}
	if spec.Retry.MaxAttempts > 1 {
		fmt.Fprintf(&b, "Where the step has no `retry`, a failure that passes (a limit of calls, a server's failure, no connection, no answer in time) is tried again: "+
			"%d attempts, the first wait %s, each next one %g times as long, never shorter than the other side asks for. `{\"max_attempts\": 1}` as the step's `retry` turns that off.\n",
			spec.Retry.MaxAttempts, spec.Retry.InitialInterval, spec.Retry.Backoff)
	}
	if len(spec.Program) > 0 {
		fmt.Fprintf(&b, "References in `%s` are bound as values, never pasted.\n", strings.Join(spec.Program, "`, `"))
	}
	if len(spec.Raw) > 0 {
		fmt.Fprintf(&b, "`%s` are kept as written and judged later.\n", strings.Join(spec.Raw, "`, `"))
	}
	b.WriteString("\n## Input\n\n")
	fields(&b, spec, true)
	if spec.Output != nil && len(spec.Output.Properties) > 0 {
		b.WriteString("\n## Output\n\n")
		fields(&b, spec, false)
	}
	b.WriteString("\n## Errors\n\nOf the kinds `bad_input` (the input cannot be used; the message names the field)")
	if spec.Disabled != "" || off[spec.Name] {
		b.WriteString(", `disabled` (the operator has not allowed it)")
	}
	if spec.Effects {
		b.WriteString(", `timeout` (transient: `retry` applies), `failed`")
	}
	b.WriteString(" and `too_large`; see [operating](../operating.md).\n")
	if len(spec.Examples) > 0 {
		b.WriteString("\n## Inputs\n\n")
		for _, x := range spec.Examples {
			fmt.Fprintf(&b, "%s:\n\n```json\n%s\n```\n\n", x.Title, x.Input)
		}
	}
	fmt.Fprintf(&b, "\n## A workflow that runs\n\nIt stands in [examples/%s.json](examples/%s.json)", name, name)
	b.WriteString(", and a test plays it.\n\n```json\n")
	b.Write(indented(shown.Workflow))
	b.WriteString("\n```\n")
	if shown.Also != nil {
		fmt.Fprintf(&b, "\nbeside\n\n```json\n%s\n```\n", indented(shown.Also))
	}
	if len(shown.Answers) > 0 {
		fmt.Fprintf(&b, "\nwith the answers `%s`\n", joined(shown.Answers))
	}
	fmt.Fprintf(&b, "\nends with\n\n```json\n%s\n```\n", indented(shown.Result))
	return b.Bytes()
}

// off are functions that nobody has unless an operator allows them.
var off = map[string]bool{"shell": true, "agent": true, "file.read": true, "file.write": true, "file.edit": true, "file.list": true, "file.find": true, "file.grep": true, "classify": true, "utils.generate.generate": true}

func joined(list []json.RawMessage) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = string(list[i])
	}
	return strings.Join(texts, "`, `")
}

func indented(text json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return text
	}
	return b.Bytes()
}

// fields is a table of a schema's properties, by name.
func fields(b *bytes.Buffer, spec *engine.Spec, in bool) {
	schema := spec.Output
	if in {
		schema = spec.Input
	}
	names := make([]string, 0, len(schema.Properties))
	for name := range schema.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	b.WriteString("| field | what |\n|---|---|\n")
	for _, name := range names {
		fmt.Fprintf(b, "| `%s` | %s |\n", name, strings.ReplaceAll(schema.Properties[name].Description, "|", `\|`))
	}
}
