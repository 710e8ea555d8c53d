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
	"strings"
	"testing"
)

// Ceilings of the stores and of all packages under engine. They are what the code has today where that is
// above the rule (45 methods or 20 fields a type; no files that use each other's names in a
// circle), so that a change can only make it better: lower a number when it has fallen.
const (
	mostMethods = 45
	mostFields  = 20
)

var (
	// manyMethods and manyFields list the types above the rule. Three belong to the test suite of
	// stores, which no program links: kit has the cases' helpers, the other two wrap a store
	// method by method. The Stores of sqlite and memory are to be cut as cypher.Store is.
	manyMethods = map[string]int{"engine/storetest.kit": 96, "engine/storetest.patient": 56, "engine/storetest/faults.Store": 63,
		"sqlite.Store": 66, "sqlite.tx": 52, "memory.Store": 88}
	manyFields = map[string]int{}
	// circle is how many files of a package are in its largest cycle. The suite of stores has one
	// because each of its files adds methods to kit and uses those of the others.
	circle = map[string]int{"engine/storetest": 40, "sqlite": 2, "memory": 9}
)

// TestWalls draws, for each store and each package of the engine, which file uses names of which other file,
// and counts the methods and fields of each type.
func TestWalls(t *testing.T) {
	exports := map[string]string{}
	for _, line := range lines(t, "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./engine/...", "./cypher", "./sqlite", "./memory") {
		if path, file, ok := strings.Cut(line, "\t"); ok {
			exports[path] = file
		}
	}
	for _, path := range lines(t, "list", "./engine/...", "./cypher", "./sqlite", "./memory") {
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
	if got := largestCircle(uses); got > circle[pkg] {
		t.Errorf("%d files of %s use each other's names in a circle, at most %d were agreed on: cut it, see Walls in ARCHITECTURE.md", got, pkg, circle[pkg])
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
