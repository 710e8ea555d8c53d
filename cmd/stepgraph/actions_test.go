package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/vault"
)

// An action is one thing that can be done: by a call of the library (a method of Engine,
// and for Act and StartBatch the kind), over HTTP and with a command.
type action struct{ library, route, command string }

// actions is everything one can do to sessions, batches and workflows.
var actions = []action{
	{"Start", "POST /sessions", "session start"},
	{"Start", "POST /sessions", "step run"},
	{"Answer", "POST /sessions/{session}/answer", "session answer"},
	{"Act pause", "POST /sessions/{session}/pause", "session pause"},
	{"Act resume", "POST /sessions/{session}/resume", "session resume"},
	{"Act cancel", "POST /sessions/{session}/cancel", "session cancel"},
	{"Act retry", "POST /sessions/{session}/retry", "session retry"},
	{"Act advance", "POST /sessions/{session}/advance", "session advance"},
	{"Act move", "POST /sessions/{session}/move", "session move"},
	{"Act reask", "POST /sessions/{session}/reask", "session reask"},
	{"Act rollback", "POST /sessions/{session}/rollback", "session rollback"},
	{"Act signal", "POST /sessions/{session}/signal", "session signal"},
	{"Fork", "POST /sessions/{session}/fork", "session fork"},
	{"EditState", "PUT /sessions/{session}/state", "session edit"},
	{"DeleteSession", "DELETE /sessions/{session}", "session delete"},
	{"Session", "GET /sessions/{session}", "session show"},
	{"State", "GET /sessions/{session}/state", "session show"},
	{"Messages", "GET /sessions/{session}/messages", "session show"},
	{"Executions", "GET /sessions/{session}/executions", "session history"},
	{"Requests", "GET /sessions/{session}/requests", "session requests"},
	{"Explain", "GET /sessions/{session}/explain", "session explain"},
	{"Subscribe", "GET /sessions/{session}/events", "session watch"},
	{"Sessions", "GET /sessions", "session list"},
	{"Search", "GET /sessions", "session list"}, // what is found within its time, and where to go on
	{"CountSessions", "GET /sessions/count", "count"},
	{"SearchCount", "GET /sessions/count", "count"},
	{"Awaiting", "GET /awaiting", "awaiting"},
	{"SearchAwaiting", "GET /awaiting", "awaiting"},

	{"StartBatch answer", "POST /batches", "batch answer"},
	{"StartBatch resume", "POST /batches", "batch resume"},
	{"StartBatch pause", "POST /batches", "batch pause"},
	{"StartBatch cancel", "POST /batches", "batch cancel"},
	{"StartBatch retry", "POST /batches", "batch retry"},
	{"StartBatch advance", "POST /batches", "batch advance"},
	{"StartBatch move", "POST /batches", "batch move"},
	{"StartBatch rollback", "POST /batches", "batch rollback"},
	{"StartBatch reask", "POST /batches", "batch reask"},
	{"StartBatch signal", "POST /batches", "batch signal"},
	{"StartBatch delete", "POST /batches", "batch delete"},
	{"Batches", "GET /batches", "batch list"},
	{"Batch", "GET /batches/{batch}", "batch show"},
	{"Batch", "GET /batches/{batch}", "batch follow"},
	{"BatchItems", "GET /batches/{batch}/results", "batch results"},
	{"StopBatch", "POST /batches/{batch}/stop", "batch stop"},
	{"ContinueBatch", "POST /batches/{batch}/continue", "batch continue"},
	{"DeleteBatch", "DELETE /batches/{batch}", "batch remove"},

	{"Workflows", "GET /workflows", "list"},
	{"Workflow", "GET /workflows/{workflow}", "show"},
	{"Workflow", "GET /workflows/{workflow}/export", "export"},
	{"Workflow", "GET /workflows/{workflow}/steps/{step}", "export"},
	{"Workflow", "GET /workflows/{workflow}/paths/{path}", "export"},
	{"Validate", "GET /workflows/{workflow}/validate", "validate"},
	{"Put", "PUT /workflows/{workflow}", "load"},
	{"Put", "POST /workflows/import", "load"},
	{"Start", "POST /workflows/import", "load"}, // with_state
	{"DeleteWorkflow", "DELETE /workflows/{workflow}", "workflow delete"},
	{"PutStep", "POST /workflows/{workflow}/steps", "workflow set-step"},
	{"PutStep", "PATCH /workflows/{workflow}/steps/{step}", "workflow set-step"},
	{"RemoveStep", "DELETE /workflows/{workflow}/steps/{step}", "workflow remove-step"},
	{"PutPath", "POST /workflows/{workflow}/paths", "workflow set-path"},
	{"PutPath", "PATCH /workflows/{workflow}/paths/{path}", "workflow set-path"},
	{"RemovePath", "DELETE /workflows/{workflow}/paths/{path}", "workflow remove-path"},
	{"CountSessions", "GET /workflows/{workflow}/stats", "workflow stats"},
	{"Affected", "GET /workflows/{workflow}/steps/{step}/affected", "workflow affected"},
	{"Affected", "GET /workflows/{workflow}/paths/{path}/affected", "workflow affected"},
	{"SearchAffected", "GET /workflows/{workflow}/steps/{step}/affected", "workflow affected"}, // of what is looked at within its time, and where to go on
	{"SearchAffected", "GET /workflows/{workflow}/paths/{path}/affected", "workflow affected"},
	{"WhatIf", "POST /workflows/{workflow}/paths/{path}/whatif", "workflow whatif"},
	{"WorkflowLog", "GET /workflows/{workflow}/log", "workflow log"},
	{"DefinitionDiff", "GET /workflows/{workflow}/steps/{step}/diff", "workflow diff"},
	{"RestoreStep", "POST /workflows/{workflow}/steps/{step}/restore", "workflow restore"},

	{"EvalReference", "POST /eval/reference", "eval reference"},
	{"EvalCondition", "POST /eval/condition", "eval condition"},
	{"Registry", "GET /functions", "functions"},

	{"Profiles", "GET /profiles", "profile list"},
	{"Profile", "GET /profiles/{profile}", "profile list"},
	{"PutProfile", "PUT /profiles/{profile}", "profile set"},
	{"DeleteProfile", "DELETE /profiles/{profile}", "profile delete"},
	{"Variables", "GET /variables", "variable list"},
	{"Variable", "GET /variables/{variable}", "variable list"},
	{"PutVariable", "PUT /variables/{variable}", "variable set"},
	{"DeleteVariable", "DELETE /variables/{variable}", "variable delete"},
	{"Secrets", "GET /secrets", "secret list"},
	{"Secret", "GET /secrets/{secret}", "secret list"},
	{"PutSecret", "PUT /secrets/{secret}", "secret set"},
	{"DeleteSecret", "DELETE /secrets/{secret}", "secret delete"},
	{"Doctor", "GET /doctor", "doctor"},
	{"Engines", "GET /engines", "engines"},
	{"Lanes", "GET /workflows/{workflow}/stats", "workflow stats"},
	{"Retention", "POST /prune", "prune"},
	{"Retention", "GET /sessions/{session}/document", "prune"}, // --archive
}

// noActions are in one of the three only, and why.
var noActions = map[string]string{
	"Run":               "the processor itself: dev and serve",
	"Store":             "what the engine was made with",
	"StartAndWait":      "Start and Wait in one",
	"StartAndSubscribe": "Start and Subscribe in one",
	"Wait":              "?wait= and --wait of what starts, answers and steers",
	"WaitAfter":         "Wait by whoever has just started, answered or steered",
	"Forecast":          "dry_run and --dry-run of a batch",
	"Lookup":            "what requests of steps ask a vault; nobody else reads a secret",
	"Value":             "what the server's own settings ask a vault; nobody else reads a secret",
	"PutWorkflow":       "Put without options",
	"CheckEdit":         "what the API asks before it stores the edit of a step or path",
	"Traffic":           "what Studio draws over a workflow; stats has the numbers",
	"Standing":          "part of stats: how many sessions stand at each step",
	"Load":              "what an engine does at this moment: /metrics and doctor show it",
	"Working":           "what /readyz asks",
	"Adopt":             "once, on a store that LUNA has left: migrate --adopt",
	"MakeKey":           "what an engine does at its start, before the first secret",

	"Act child_ended": "what a child session sends its parent",
	"Act state":       "the record of EditState",
	"Act lost":        "the record of a lost call",
	"Act start":       "the record of a start's key",

	"GET /server":                       "which store the server has and where its Browser is, for Studio",
	"GET /workflows/{workflow}/traffic": "Traffic",
	"GET /workflows/{workflow}/usage":   "a call centre's view of its history; executions has all of it",
	"GET /sessions/{session}/trace":     "as usage",
	"token create":                      "access.File.Make; over HTTP POST /tokens",
	"token list":                        "access.File.List; over HTTP GET /tokens",
	"token revoke":                      "access.File.Revoke; over HTTP DELETE /tokens/{token}",
	"GET /tokens":                       "token list",
	"POST /tokens":                      "token create",
	"DELETE /tokens/{token}":            "token revoke",
	"GET /audit":                        "Store.AuditEntries; audit",
	"audit":                             "GET /audit",

	"bench":   "measures",
	"dev":     "serves",
	"serve":   "serves",
	"run":     "starts and answers one session at the terminal",
	"open":    "opens the page in a browser",
	"mcp":     "offers the routes as tools; over HTTP at /mcp",
	"schema":  "prints a document",
	"migrate": "prepares a store",
	"version": "says which",
}

// TestEachActionIsEverywhere fails when something can be done in the library, over HTTP
// or with a command, and not in the other two.
func TestEachActionIsEverywhere(t *testing.T) {
	sides := []struct {
		name  string
		there []string
		of    func(action) string
	}{
		{"library", libraryActions(t), func(a action) string { return a.library }},
		{"API", routeActions(t), func(a action) string { return a.route }},
		{"command line", commandActions(), func(a action) string { return a.command }},
	}
	for _, side := range sides {
		if len(side.there) < 40 {
			t.Fatalf("%s: found only %v", side.name, side.there)
		}
		listed := map[string]bool{}
		for _, a := range actions {
			listed[side.of(a)] = true
			if !slices.Contains(side.there, side.of(a)) {
				t.Errorf("%s has no %q, which is %+v elsewhere", side.name, side.of(a), a)
			}
		}
		for _, name := range side.there {
			if !listed[name] && noActions[name] == "" {
				t.Errorf("%s has %q: add it to the table, with its two others", side.name, name)
			}
		}
	}
}

// libraryActions are the methods of Engine and Vault, Act and StartBatch once for each kind.
func libraryActions(t *testing.T) []string {
	var all []string
	e := reflect.TypeFor[*engine.Engine]()
	for i := range e.NumMethod() {
		if name := e.Method(i).Name; name != "Act" && name != "StartBatch" {
			all = append(all, name)
		}
	}
	for kept, i := reflect.TypeFor[*vault.Vault](), 0; i < kept.NumMethod(); i++ {
		all = append(all, kept.Method(i).Name)
	}
	batch := engine.New(memory.New(memory.Options{}), engine.NewRegistry(), engine.Options{})
	for _, kind := range append(requestKinds(t), engine.ActionDelete) {
		if kind != engine.RequestAnswer && kind != engine.ActionDelete {
			all = append(all, "Act "+kind)
		}
		if _, err := batch.StartBatch(t.Context(), engine.BatchRequest{Action: kind}); !strings.Contains(err.Error(), "nothing a batch can do") {
			all = append(all, "StartBatch "+kind)
		}
	}
	return all
}

// requestKinds reads the kinds of request from engine's source: constants cannot be
// reflected on.
func requestKinds(t *testing.T) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "../../engine/store/request.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, d := range file.Decls {
		block, ok := d.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		for _, spec := range block.Specs {
			v := spec.(*ast.ValueSpec)
			text, ok := v.Values[0].(*ast.BasicLit)
			if !ok || !strings.HasPrefix(v.Names[0].Name, "Request") {
				continue
			}
			kind, err := strconv.Unquote(text.Value)
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) < 12 {
		t.Fatalf("engine/request.go has only the kinds %v", kinds)
	}
	return kinds
}

// routeActions are the operations of the OpenAPI document.
func routeActions(t *testing.T) []string {
	e := engine.New(memory.New(memory.Options{}), engine.NewRegistry(), engine.Options{})
	w := httptest.NewRecorder()
	api.New(e, api.Options{}).ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	var all []string
	for path, methods := range document.Paths {
		for method := range methods {
			all = append(all, strings.ToUpper(method)+" "+strings.TrimPrefix(path, "/api/v1"))
		}
	}
	return all
}

// commandActions are the commands that hold no others.
func commandActions() []string {
	var all []string
	var walk func(c *cobra.Command, path string)
	walk = func(c *cobra.Command, path string) {
		if !c.HasSubCommands() {
			all = append(all, strings.TrimSpace(path))
		}
		for _, below := range c.Commands() {
			walk(below, path+" "+below.Name())
		}
	}
	walk((&app{}).rootCommand(), "")
	return all
}

// TestNoActionIsListedTwice keeps the table and its exceptions apart.
func TestNoActionIsListedTwice(t *testing.T) {
	seen := map[action]bool{}
	for _, a := range actions {
		if seen[a] {
			t.Errorf("%+v stands there twice", a)
		}
		seen[a] = true
		if why := noActions[a.library] + noActions[a.command]; why != "" {
			t.Errorf("%+v is also no action: %s", a, why)
		}
	}
}
