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
	for _, spec := range registry.Specs() {
		name := pageName(spec)
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
	keep(t, filepath.Join("functions", "README.md"), functionIndex(t, registry.Specs()))
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
		t.Errorf("%s is not what the code gives: go test ./internal/docs -run TestFunctionPages -update (%v)", file, err)
	}
}

// page is a function's page.
func page(spec *engine.Spec, name string, shown *example) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", spec.Name, spec.Description)
	if len(spec.Aliases) > 0 {
		fmt.Fprintf(&b, "- Other names: `%s`.\n", strings.Join(spec.Aliases, "`, `"))
	}
	if spec.Effects {
		b.WriteString("- It has effects: everything before it is stored when it starts, and after a crash it may run again, with the same idempotency key.\n")
	} else {
		b.WriteString("- It is pure: it only computes its output.\n")
	}
	if spec.Limit > 0 {
		fmt.Fprintf(&b, "- One engine makes %d calls of it at once; further calls wait.\n", spec.Limit)
	}
	if spec.Retry.MaxAttempts > 1 {
		fmt.Fprintf(&b, "- If the step has no `retry`, failures that may pass (rate limit, server error, no connection, timeout) are retried: %d attempts, "+
			"the first after %s, each interval %g times the one before, and never sooner than the server asks for. `\"retry\": {\"max_attempts\": 1}` on the step turns this off.\n",
			spec.Retry.MaxAttempts, spec.Retry.InitialInterval, spec.Retry.Backoff)
	}
	if len(spec.Program) > 0 {
		fmt.Fprintf(&b, "- References in `%s` are variables of the program; their values are never pasted into its text.\n", strings.Join(spec.Program, "`, `"))
	}
	if len(spec.Raw) > 0 {
		fmt.Fprintf(&b, "- `%s` is evaluated while the function runs, not before.\n", strings.Join(spec.Raw, "`, `"))
	}
	b.WriteString("\n## Input\n\n")
	fields(&b, spec, true)
	if spec.Output != nil && len(spec.Output.Properties) > 0 {
		b.WriteString("\n## Output\n\n")
		fields(&b, spec, false)
	}
	b.WriteString("\n## Errors\n\nError kinds: `bad_input` (the message names the field)")
	if spec.Disabled != "" || off[spec.Name] {
		b.WriteString(", `disabled` (the operator does not allow it)")
	}
	if spec.Effects {
		b.WriteString(", `timeout` (`retry` applies), `failed`")
	}
	b.WriteString(", `too_large`.\n")
	if len(spec.Examples) > 0 {
		b.WriteString("\n## Example inputs\n\n")
		for _, x := range spec.Examples {
			fmt.Fprintf(&b, "%s:\n\n```json\n%s\n```\n\n", x.Title, x.Input)
		}
	}
	fmt.Fprintf(&b, "\n## Example workflow\n\nA test runs it, from [examples/%s.json](examples/%s.json).\n\n```json\n", name, name)
	b.Write(indented(shown.Workflow))
	b.WriteString("\n```\n")
	if shown.Also != nil {
		fmt.Fprintf(&b, "\ntogether with\n\n```json\n%s\n```\n", indented(shown.Also))
	}
	if len(shown.Answers) > 0 {
		fmt.Fprintf(&b, "\nWith the answers `%s`\n", joined(shown.Answers))
	}
	fmt.Fprintf(&b, "\nthe session ends with\n\n```json\n%s\n```\n", indented(shown.Result))
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

// fields is the table of a schema's properties, in the order of the code.
func fields(b *bytes.Buffer, spec *engine.Spec, in bool) {
	schema := spec.Output
	if in {
		schema = spec.Input
	}
	if len(schema.Properties) == 0 {
		b.WriteString("None.\n")
		return
	}
	if in {
		b.WriteString("| field | type | default | meaning |\n|---|---|---|---|\n")
	} else {
		b.WriteString("| field | type | meaning |\n|---|---|---|\n")
	}
	group := ""
	for _, name := range propertyOrder(schema) {
		if next := schema.Properties[name].Comment; in && next != group {
			group = next
			fmt.Fprintf(b, "| **%s** | | | |\n", group)
		}
		meaning, otherwise := splitDefault(schema.Properties[name].Description)
		if slices.Contains(schema.Required, name) && in {
			otherwise = "required"
		}
		kind := fieldType(name, schema.Properties[name])
		if in {
			fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, kind, cell(otherwise), cell(meaning))
		} else {
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, kind, cell(schema.Properties[name].Description))
		}
	}
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
