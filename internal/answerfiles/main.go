// Command answerfiles prints how much code one answer over HTTP runs: files, packages and
// statements, of all packages of the module. It plays TestAnswers of package api with 2 and
// with 12 answers, and counts what the ten more have run. Run it in the root of the module:
//
//	go run ./internal/answerfiles        (with -v the files, by package)
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const more = 10 // answers that the second run plays in addition

func main() {
	verbose := flag.Bool("v", false, "print the files")
	flag.Parse()
	dir, err := os.MkdirTemp("", "answerfiles")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	few, many := profile(dir, 2), profile(dir, 2+more)
	files, packages := map[string]int{}, map[string][]string{}
	statements, runs := 0, 0
	for block, b := range many {
		b.runs -= few[block].runs
		if b.runs <= 0 {
			continue
		}
		file, _, _ := strings.Cut(block, ":")
		if files[file] == 0 {
			packages[path.Dir(file)] = append(packages[path.Dir(file)], path.Base(file))
		}
		files[file] += b.statements
		statements += b.statements
		runs += b.statements * b.runs
	}
	fmt.Printf("%d files, %d packages, %d distinct statements, %d statements for one answer\n", len(files), len(packages), statements, runs/more)
	if *verbose {
		for _, p := range slices.Sorted(maps.Keys(packages)) {
			fmt.Printf("%3d %s: %s\n", len(packages[p]), p, strings.Join(slices.Sorted(slices.Values(packages[p])), " "))
		}
	}
}

// A block is one of a coverage profile.
type block struct{ statements, runs int }

// profile runs the test with so many answers and returns its coverage by place.
func profile(dir string, answers int) map[string]block {
	name := filepath.Join(dir, "cover.out")
	c := exec.Command("go", "test", "./api", "-count=1", "-run=^TestAnswers$", "-covermode=count", "-coverpkg=./...", "-coverprofile="+name)
	c.Env = append(os.Environ(), fmt.Sprintf("STEPGRAPH_ANSWERS=%d", answers))
	if out, err := c.CombinedOutput(); err != nil {
		log.Fatalf("%s\n%s", err, out)
	}
	f, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	all := map[string]block{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		place, counts, _ := strings.Cut(lines.Text(), " ")
		var b block
		if n, _ := fmt.Sscan(counts, &b.statements, &b.runs); n == 2 {
			all[place] = b
		}
	}
	return all
}
