package stepgraph_test

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The rule: 45 methods or 20 fields a type, and in the engine, the stores, api, cmd and bench no files that
// use each other's names in a circle. Elsewhere a circle of a few files is one noun in several files.
// What is above the rule has a ceiling here, which is what the code has today, so that a change
// can only make it better: lower a number when it has fallen.
const (
	mostMethods = 45
	mostFields  = 20
	mostFiles   = 10 // in a circle, in compat, functions and formats
)

// walled are the packages that the rule is for.
var walled = []string{"./engine/...", "./cypher", "./sqlite", "./memory", "./shard", "./api/...", "./cmd/...", "./bench", "./compat/...", "./functions/...", "./formats/..."}

var (
	// manyMethods and manyFields list the types above the rule. Three belong to the test suite of
	// stores, which no program links: kit has the cases' helpers, the other two wrap a store
	// method by method.
	manyMethods = map[string]int{"engine/storetest.kit": 96, "engine/storetest.retryingStore": 59, "engine/storetest/faults.Store": 66}
	manyFields  = map[string]int{
		"api.Options":          21, // part of the Go API
		"cmd/stepgraph.config": 34, // the configuration file, a field for each of its settings
		// Documents of other systems, with a field for each of theirs.
		"compat/callcentre.nodeData": 32, "compat/nebulaflow.data": 31,
		"compat/flowise/flowiseapi.chatflowRow": 21, "compat/flowise/flowiseapi.messageRecord": 21,
	}
	// circle is how many files of a package are in its largest cycle.
	circle = map[string]int{
		// A compiler compiles nodes inside of nodes, in a file for each kind of node.
		"compat/agentzero": 12, "compat/flowise": 25, "compat/nebulaflow": 17,
		// A run, the events that are told of it, and the commands that steer it.
		"compat/flowise/flowiseapi": 14, "compat/nebulaflow/nebulaflowapi": 18,
		"functions/code": 12, // scripts call steps, which may be scripts
	}
)

// TestWalls draws, for each package, which file uses names of which other file,
// and counts the methods and fields of each type.
func TestWalls(t *testing.T) {
	exports := map[string]string{}
	for _, line := range lines(t, append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, walled...)...) {
		if path, file, ok := strings.Cut(line, "\t"); ok {
			exports[path] = file
		}
	}
	for _, path := range lines(t, append([]string{"list"}, walled...)...) {
		pkg := strings.TrimPrefix(path, module)
		t.Run(pkg, func(t *testing.T) { checkWalls(t, pkg, exports) })
	}
}

func checkWalls(t *testing.T, pkg string, exports map[string]string) {
	fset := token.NewFileSet()
	dir, err := build.ImportDir(pkg, 0) // the files of this system, without tests
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range dir.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(pkg, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	checked, err := (&types.Config{Importer: imports}).Check(module+pkg, fset, files, info)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range checked.Scope().Names() {
		checkType(t, pkg, checked.Scope().Lookup(name))
	}
	uses := map[string]map[string]bool{}
	for id, object := range info.Uses {
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if object.Pkg() != checked || from == to {
			continue
		}
		if uses[from] == nil {
			uses[from] = map[string]bool{}
		}
		uses[from][to] = true
	}
	most := circle[pkg]
	if top, _, _ := strings.Cut(pkg, "/"); !slices.Contains([]string{"engine", "cypher", "sqlite", "memory", "shard", "api", "cmd", "bench"}, top) {
		most = max(most, mostFiles)
	}
	if got := largestCircle(uses); got > most {
		t.Errorf("%d files of %s use each other's names in a circle, at most %d were agreed on: cut it, see Walls in ARCHITECTURE.md", got, pkg, most)
	} else if got < circle[pkg] {
		t.Errorf("the largest circle of %s has only %d files: lower its number from %d", pkg, got, circle[pkg])
	}
}

func checkType(t *testing.T, pkg string, object types.Object) {
	name, ok := object.(*types.TypeName)
	if !ok || name.IsAlias() {
		return
	}
	named := name.Type().(*types.Named)
	key := pkg + "." + name.Name()
	checkCount(t, "methods", key, named.NumMethods(), mostMethods, manyMethods)
	if s, ok := named.Underlying().(*types.Struct); ok {
		checkCount(t, "fields", key, s.NumFields(), mostFields, manyFields)
	}
}

func checkCount(t *testing.T, what, key string, got, most int, listed map[string]int) {
	ceiling, above := listed[key]
	switch {
	case got > max(most, ceiling):
		t.Errorf("%s has %d %s, at most %d: it is several types", key, got, what, max(most, ceiling))
	case above && got < ceiling:
		t.Errorf("%s has only %d %s: lower its number from %d", key, got, what, ceiling)
	}
}

// largestCircle returns the number of files in the largest set of which each file reaches
// every other one, 0 where no two do.
func largestCircle(uses map[string]map[string]bool) int {
	reached := map[string]map[string]bool{}
	for from := range uses {
		seen, todo := map[string]bool{}, []string{from}
		for len(todo) > 0 {
			next := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for to := range uses[next] {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		reached[from] = seen
	}
	largest := 0
	for from, seen := range reached {
		n := 0
		for to := range seen {
			if to == from || reached[to][from] {
				n++
			}
		}
		if seen[from] {
			largest = max(largest, n)
		}
	}
	return largest
}
