package flowise_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/stepgraph/stepgraph/models"
)

// needs are the functions of a vendor that each marketplace template asks for.
var needs = map[string][]string{
	"Agentic RAG":    {"flowise.retriever"},
	"Agents Handoff": {"flowise.googleCustomSearch"},
	"Deep Research With Multi-turn Conversations": {"flowise.braveSearchAPI", "flowise.webScraperTool"},
	"Deep Research With Subagents":                {"flowise.arxiv", "flowise.googleCustomSearch", "flowise.webScraperTool"},
	"Human In The Loop":                           {"flowise.gmail", "flowise.googleCustomSearch"},
	"Interacting With API":                        {"flowise.openAPIToolkit"},
	"Iterations":                                  nil,
	"SQL Agent":                                   nil, // its code needs modules instead
	"Simple RAG":                                  {"flowise.documentStore"},
	"Structured Output":                           nil,
	"Supervisor Worker":                           nil,
	"Translator":                                  nil,
	"Workplace Chat":                              {"flowise.microsoftTeams", "flowise.slackMCP"},
}

// Each template of the marketplace loads, says which step needs what and why, and runs to its
// end with these steps replaced by mocks.
func TestTemplates(t *testing.T) {
	folder := fixtures.Folder(t, "flowise/templates")
	for name, wanted := range needs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := fixtures.Text(t, filepath.Join(folder, name+".json"))
			if !flowise.Recognise(name+".json", document) {
				t.Error("not recognised")
			}
			file, err := flowise.Parse(name+".json", document)
			if err != nil {
				t.Fatal(err)
			}
			w := &file.Workflows[0]
			w.ID = "template"
			var found []string
			for i := range w.Steps {
				s := &w.Steps[i]
				s.Workflow = w.ID
				if strings.HasPrefix(s.Function, "flowise.") && !slices.Contains(found, s.Function) {
					found = append(found, s.Function)
					if !mentions(file.Notes, s.Function) {
						t.Errorf("no warning says that step %s needs %s", s.ID, s.Function)
					}
				}
			}
			slices.Sort(found)
			if !slices.Equal(found, wanted) {
				t.Errorf("needs %v, want %v", found, wanted)
			}
			mock(w, file.Notes)
			r := startWith(t, vendors(t, file.Notes), nil)
			for _, f := range found {
				engine.Register(r.Registry(), f, func(context.Context, map[string]any) (map[string]string, error) {
					return map[string]string{"text": "found nothing"}, nil
				})
			}
			if _, err := r.Put(t.Context(), w, engine.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, p := range engine.Validate(w, r.Registry()) {
				if p.Code == "unknown_output" {
					t.Errorf("a false warning: %s", p.Message)
				}
			}
			session := r.play(engine.StartRequest{Workflow: w.ID, Inputs: json.RawMessage(`{"question":"What is new?","form":{"subject":"S","body":"B","query":"Q"}}`)})
			for range 5 {
				if len(session.Awaiting) == 0 {
					break
				}
				if _, err := r.Answer(t.Context(), engine.AnswerRequest{Session: session.ID, Response: json.RawMessage(`"proceed"`)}); err != nil {
					t.Fatal(err)
				}
				session = r.rest(t.Context(), session.ID)
			}
			if session.Status != engine.StatusComplete {
				t.Errorf("%s: %+v %+v", session.Status, session.Error, session.Problems)
			}
		})
	}
}

// wantedAlias is what a warning tells to write into the configuration.
var wantedAlias = regexp.MustCompile(`"aliases": \{"([^"]+)": "([a-z]+/[^"]+)"\}`)

// vendors is a catalog of four vendors, each of which has no models but its own. The aliases are
// those that the warnings of loading say.
func vendors(t *testing.T, notes []engine.Problem) *models.Catalog {
	t.Helper()
	options := models.CatalogOptions{Default: "openai/gpt-4o-mini", Aliases: map[string]string{}, Providers: map[string]models.Provider{}}
	for _, n := range notes {
		for _, m := range wantedAlias.FindAllStringSubmatch(n.Message, -1) {
			options.Aliases[m[1]] = m[2]
		}
	}
	for name, own := range map[string]string{"openai": "^(gpt-|o[0-9])", "gemini": "^gemini-", "groq": "^(llama|qwen|meta-llama|openai)", "mistral": "mistral", "anthropic": "^claude-"} {
		has := regexp.MustCompile(own)
		options.Providers[name] = models.Provider{Open: func() (models.Model, error) {
			return models.Func(func(ctx context.Context, q models.Request) (models.Response, error) {
				if !has.MatchString(q.Model) {
					return models.Response{}, models.StatusError(name, http.StatusNotFound, nil, "no model "+q.Model)
				}
				return answerAnything(ctx, q)
			}), nil
		}}
	}
	catalog, err := models.NewCatalog(options)
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

func mentions(notes []engine.Problem, text string) bool {
	return slices.ContainsFunc(notes, func(p engine.Problem) bool { return strings.Contains(p.Message, text) })
}

// mock replaces the steps whose code needs modules, and gives a request without an address
// one that nobody answers.
func mock(w *engine.Workflow, notes []engine.Problem) {
	for _, p := range notes {
		s := w.Step(p.Step)
		switch p.Code {
		case "needs_module", "url_missing":
			s.Function, s.Input = "template", `{"template": "mock"}`
		}
	}
}

// answerAnything answers every question of a model: objects that fit what is asked for, the
// first of the scenarios there are, else a text.
func answerAnything(_ context.Context, q models.Request) (models.Response, error) {
	if q.Schema != nil {
		object := sample(q.Schema)
		return models.Response{Text: string(object), Object: object, FinishReason: models.FinishStop}, nil
	}
	for _, tool := range q.Tools {
		if tool.Name == q.ToolChoice {
			return models.Response{ToolCalls: []models.ToolCall{{ID: "1", Name: tool.Name, Arguments: sample(tool.Parameters)}}, FinishReason: models.FinishToolCalls}, nil
		}
	}
	if last := q.LastUser(); strings.Contains(last, `"scenarios"`) {
		_, rest, _ := strings.Cut(last, `"scenarios": ["`)
		first, _, _ := strings.Cut(rest, `"`)
		return models.Response{Text: `{"output": "` + first + `"}`, FinishReason: models.FinishStop}, nil
	}
	return models.Response{Text: "Here is what I think.", FinishReason: models.FinishStop}, nil
}

// sample is a value that fits a schema.
func sample(schema json.RawMessage) json.RawMessage {
	var s struct {
		Type       string
		Enum       []json.RawMessage
		Properties map[string]json.RawMessage
		Items      json.RawMessage
	}
	if json.Unmarshal(schema, &s) != nil {
		return json.RawMessage("null")
	}
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	switch s.Type {
	case "object":
		object := map[string]json.RawMessage{}
		for name, property := range s.Properties {
			object[name] = sample(property)
		}
		text, _ := json.Marshal(object)
		return text
	case "array":
		return json.RawMessage("[" + string(sample(s.Items)) + "]")
	case "number", "integer":
		return json.RawMessage("1")
	case "boolean":
		return json.RawMessage("true")
	}
	return json.RawMessage(`"some text"`)
}
