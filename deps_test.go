// Package stepgraph_test keeps the arrows between packages the way ARCHITECTURE.md draws
// them.
package stepgraph_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/stepgraph/stepgraph/"

// forbidden lists which package must not depend on which, and why.
var forbidden = map[string]map[string]string{
	"engine": {
		module + "cypher":    "the engine must run on any store",
		module + "sqlite":    "the engine must run on any store",
		module + "memory":    "the engine must run on any store",
		module + "functions": "functions know the engine, not the other way round",
		module + "models":    "the engine knows no model",
		module + "formats":   "the engine knows no foreign format",
		module + "api":       "the engine knows no wire",
		"net/http":           "embedding the engine must not pull a web stack",
		"testing":            "no product links testing",
	},
	"engine/function":         {module + "engine": "a function is written and tested without the engine", "testing": "no product links testing"},
	"engine/graph":            {module + "engine": "a workflow knows no session", "testing": "no product links testing"},
	"engine/store":            {module + "engine": "the contract of stores knows no engine", "testing": "no product links testing"},
	"engine/state":            {module + "engine": "a session's state knows no engine", "testing": "no product links testing"},
	"engine/inspect":          {module + "engine": "what answers an operator's questions runs nothing", "testing": "no product links testing"},
	"engine/event":            {module + "engine": "an event is data", "testing": "no product links testing"},
	"engine/internal/batch":   {module + "engine": "a batch acts through the interface it declares", "testing": "no product links testing"},
	"engine/internal/session": {module + "engine": "a session knows its engine by the interface it declares", "testing": "no product links testing"},
	"references":              {module: "a pure language imports nothing of ours"},
	"conditions":              {module: "a pure language imports other pure languages at most"},
	"expressions":             {module: "a pure language imports nothing of ours"},
	"memory":                  {module + "engine": "a store knows its contract and not the engine", module + "sqlite": "stores never import each other", module + "cypher": "stores never import each other", "testing": "no product links testing"},
	"sqlite":                  {module + "engine": "a store knows its contract and not the engine", module + "cypher": "stores never import each other", module + "memory": "stores never import each other", "testing": "no product links testing"},
	"cypher":                  {module + "engine": "a store knows its contract and not the engine", module + "sqlite": "stores never import each other", module + "memory": "stores never import each other", "testing": "no product links testing"},
	"shard":                   {module + "engine": "a store knows its contract and not the engine", module + "sqlite": "it joins any stores", module + "memory": "it joins any stores", module + "cypher": "it joins any stores", "testing": "no product links testing"},
	"functions":               {module + "engine": "functions know engine/function", module + "cypher": "functions never know a store", module + "sqlite": "functions never know a store", module + "memory": "functions never know a store", "testing": "no product links testing"},
	"models":                  {module + "engine": "models are providers and nothing else", "testing": "no product links testing"},
	"formats":                 {module + "cypher/": "formats never know a store", module + "sqlite": "formats never know a store", "testing": "no product links testing"},
	"api":                     {module + "cypher": "the API asks the engine", module + "sqlite": "the API asks the engine", "testing": "no product links testing"},
	"api/mcp":                 {module + "engine": "a tool is a request to the API and knows no more than its document", module + "access": "the request is checked, not the tool", "testing": "no product links testing"},
	"cmd/stepgraph":           {"testing": "no product links testing"},
}

// allowed are the exceptions from forbidden, each with its reason. One that is not needed fails.
var allowed = map[string]map[string]string{
	"engine/graph": {module + "engine/function": "validation checks inputs against the Spec of a function"},
	"engine/store": {
		module + "engine/function": "records hold retry policies and questions",
		module + "engine/graph":    "the contract reads and writes workflows",
	},
	"engine/state": {
		module + "engine/function": "a state holds questions and suspended calls",
		module + "engine/graph":    "a state is that of a workflow's steps",
		module + "engine/store":    "a state is made from a record and written to one",
	},
	"engine/inspect": {
		module + "engine/function":            "answers name functions that are missing",
		module + "engine/graph":               "answers name steps and paths",
		module + "engine/internal/evaluation": "a condition is explained by the code that evaluates it",
		module + "engine/state":               "answers are read from states",
		module + "engine/store":               "answers are read from a store",
	},
	"engine/event": {
		module + "engine/function": "an event may hold a question",
		module + "engine/state":    "events show statuses and open questions",
		module + "engine/graph":    "through engine/state",
		module + "engine/store":    "through engine/state",
	},
	"engine/internal/batch": {
		module + "engine/graph":          "hashes of JSON, and faults that name a place",
		module + "engine/function":       "through engine/graph",
		module + "engine/internal/retry": "calls of the store are repeated",
		module + "engine/state":          "an item is checked against a state",
		module + "engine/store":          "batches are rows of the store",
	},
	"engine/internal/session": {
		module + "engine/event":               "a session says what happened",
		module + "engine/function":            "a session calls functions",
		module + "engine/graph":               "a session follows paths",
		module + "engine/internal/commit":     "checkpoints are written in groups",
		module + "engine/internal/evaluation": "a session evaluates conditions",
		module + "engine/internal/retry":      "calls of the store are repeated",
		module + "engine/state":               "a session has a state",
		module + "engine/store":               "a session is read and written",
	},
	"functions": {
		module + "engine/function": "what functions are made of",
		module + "engine/graph":    "the names of what a step does on an error",
		module + "engine/store":    "the errors by which a store refuses a query",
	},
	"memory": ofStores, "sqlite": ofStores, "cypher": ofStores, "shard": ofStores,
	"conditions": {
		module + "expressions": "a comparison is an expression",
		module + "references":  "its names are references, read in one way everywhere",
	},
}

// ofStores are what a store knows of the engine.
var ofStores = map[string]string{
	module + "engine/store":    "the contract that a store keeps",
	module + "engine/graph":    "workflows, as the contract reads and writes them",
	module + "engine/function": "part of the records of the contract",
}

func TestArrows(t *testing.T) {
	for pkg, rules := range forbidden {
		all := deps(t, "./"+pkg)
		for dep := range allowed[pkg] {
			if !slices.Contains(all, dep) {
				t.Errorf("%s does not depend on %s: remove the exception", pkg, dep)
			}
		}
		for _, dep := range all {
			if _, ok := allowed[pkg][dep]; ok || dep == module+pkg {
				continue
			}
			for prefix, reason := range rules {
				if dep == prefix || strings.HasPrefix(dep, prefix) && (strings.HasSuffix(prefix, "/") || strings.HasPrefix(dep, prefix+"/")) {
					t.Errorf("%s depends on %s: %s", pkg, dep, reason)
				}
			}
		}
	}
}

// TestWeight counts what embedding pulls in, so that a new dependency is seen in a diff.
func TestWeight(t *testing.T) {
	for pkg, most := range map[string]int{"engine": 7, "sqlite": 14} {
		modules := map[string]bool{}
		for _, line := range lines(t, "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./"+pkg) {
			if line != "" && line+"/" != module {
				modules[line] = true
			}
		}
		if len(modules) > most {
			t.Errorf("%s pulls in %d modules, at most %d were agreed on: %v", pkg, len(modules), most, modules)
		}
	}
}

func deps(t *testing.T, pkg string) []string { return lines(t, "list", "-deps", pkg) }

func lines(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
