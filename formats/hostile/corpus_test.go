package hostile

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// Environment of a run, so that more files, or others, are made.
const (
	envFiles = "STEPGRAPH_HOSTILE_FILES" // damaged copies beside the handwritten files
	envSeed  = "STEPGRAPH_HOSTILE_SEED"
	envOnly  = "STEPGRAPH_HOSTILE_ONLY" // files with that in their name alone
	envKeep  = "STEPGRAPH_HOSTILE_KEEP" // a folder for the files something was wrong with
)

// fewestFiles are the damaged copies of our own files in a run that asks for no number; the long
// run makes three times as many. Where the recorded cases are there, half as many are made of these.
func fewestFiles() uint64 {
	if large() {
		return 1200
	}
	return 400
}

// A good file is a workflow of some format that has no faults.
type good struct {
	format string
	ending string
	text   []byte
}

// A hostile file is made when it is its turn: all of them together would not fit.
type hostile struct {
	name string
	text func() []byte
}

//go:embed testdata
var own embed.FS

// corpus lists the files of a run: those written by hand, the damaged copies of our own files,
// which are the same for a seed wherever they are made, and those of recorded cases.
func corpus() ([]hostile, error) {
	goods, err := goodFiles(own)
	if err != nil {
		return nil, err
	}
	for _, f := range formats.All() {
		if len(goods[f.Name()]) == 0 {
			return nil, fmt.Errorf("corpus: no good file of format %s; put one into testdata", f.Name())
		}
	}
	copies := number(envFiles, fewestFiles())
	files := append(classes(goods), damaged("made", goods, copies)...)
	if folder := fixtures.Root(); isFolder(folder) {
		goods, err := goodFiles(os.DirFS(folder))
		if err != nil {
			return nil, err
		}
		files = append(files, damaged("recorded", goods, copies/2)...)
	}
	return slices.DeleteFunc(files, func(f hostile) bool { return !strings.Contains(f.name, os.Getenv(envOnly)) }), nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// damaged are copies of good files, every format in turn.
func damaged(folder string, goods map[string][]good, copies uint64) []hostile {
	names := slices.Sorted(maps.Keys(goods))
	seed := number(envSeed, 1)
	var files []hostile
	for i := range copies {
		of := goods[names[int(i)%len(names)]]
		g := of[int(i)/len(names)%len(of)]
		files = append(files, hostile{fmt.Sprintf("%s/%s-%d-%d%s", folder, g.format, seed, i, g.ending), func() []byte { return newBreaker(seed, i).file(g.text) }})
	}
	return files
}

func number(variable string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(variable), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// goodFiles are the workflows in a folder by their formats, whatever files they stand in, in
// the order of names, and behind them what they are as our own formats.
func goodFiles(at fs.FS) (map[string][]good, error) {
	var all []good
	err := fs.WalkDir(at, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(at, name)
		if err == nil {
			all = append(all, goodsIn(name, text)...)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, g := range all[:len(all):len(all)] {
		all = append(all, asOwn(g)...)
	}
	byFormat := map[string][]good{}
	for _, g := range all {
		byFormat[g.format] = append(byFormat[g.format], g)
	}
	return byFormat, nil
}

// goodsIn are the workflows in a file: the file itself, or objects somewhere inside of it.
func goodsIn(name string, text []byte) []good {
	for _, f := range formats.All() {
		if f.Recognise(name, text) {
			return []good{{f.Name(), filepath.Ext(name), text}}
		}
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		var elements []json.RawMessage
		if json.Unmarshal(text, &elements) != nil {
			return nil
		}
		members = map[string]json.RawMessage{}
		for i, e := range elements {
			members[fmt.Sprintf("%06d", i)] = e
		}
	}
	var keys []string
	for key, member := range members {
		if text := strings.TrimSpace(string(member)); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	var all []good
	for _, key := range keys {
		all = append(all, goodsIn("x.json", members[key])...)
	}
	return all
}

// asOwn is a workflow of another system in our own formats.
func asOwn(g good) []good {
	loaded, err := formats.Load("own"+g.ending, g.text)
	if err != nil || g.format == "stepgraph" {
		return nil
	}
	var all []good
	for i := range loaded.Workflows {
		for _, f := range []struct{ export, format string }{{"json", "stepgraph"}, {"cypher", "cypher"}} {
			if file, err := formats.Export(&loaded.Workflows[i], f.export); err == nil && f.format != g.format {
				all = append(all, good{f.format, file.Ending, file.Text})
			}
		}
	}
	return all
}
