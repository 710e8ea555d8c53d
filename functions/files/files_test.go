package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/files"
)

func find(t *testing.T, o files.Options, name string) function.Spec {
	t.Helper()
	for _, s := range files.Specs(o) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no %s", name)
	return function.Spec{}
}

func call[Out any](t *testing.T, dir, name, in string) (Out, error) {
	t.Helper()
	return callIn[Out](t, t.Context(), dir, name, in)
}

func callIn[Out any](t *testing.T, ctx context.Context, dir, name, in string) (Out, error) {
	t.Helper()
	var out Out
	raw, err := find(t, files.Options{Dir: dir}, name).Function.Call(ctx, json.RawMessage(in))
	if err == nil {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out, err
}

func put(t *testing.T, dir, path, content string) {
	t.Helper()
	file := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, dir, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(filepath.Join(dir, path)); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v, want %q", path, got, err, want)
	}
}

func fails(t *testing.T, err error, kind, part string) {
	t.Helper()
	if function.KindOf(err) != kind || !strings.Contains(err.Error(), part) {
		t.Errorf("got %v (%s), want %s: %s", err, function.KindOf(err), kind, part)
	}
}

func TestOff(t *testing.T) {
	for _, s := range files.Specs(files.Options{}) {
		if !strings.Contains(s.Disabled, `"folder"`) || !s.Effects || s.Limit == 0 || s.Description == "" || s.Input == nil || s.Output == nil {
			t.Errorf("%s: %+v", s.Name, s)
		}
		for _, e := range s.Examples {
			if problems := s.Check(e.Input); problems != nil {
				t.Errorf("%s, %s: %v", s.Name, e.Title, problems)
			}
		}
	}
	for _, s := range files.Specs(files.Options{Dir: "x", ReadOnly: true}) {
		if off := s.Name == "file.write" || s.Name == "file.edit"; (s.Disabled != "") != off {
			t.Errorf("%s: %q", s.Name, s.Disabled)
		}
	}
}

// TestNothingLeadsOut tries every function with every way out of the folder.
func TestNothingLeadsOut(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "open")
	put(t, parent, "secret/key.txt", "secret")
	put(t, dir, "in/a.txt", "inside")
	for name, target := range map[string]string{"link": "../secret", "file-link": "../secret/key.txt", "absolute": filepath.Join(parent, "secret"), "in/up": "../../secret/key.txt", "fine": "in/a.txt"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("links cannot be made here: %v", err)
		}
	}
	for _, path := range []string{"../secret/key.txt", "/etc/passwd", "in/../../secret/key.txt", "link/key.txt", "file-link", "absolute/key.txt", "in/up", filepath.Join(parent, "secret", "key.txt"), "a\x00b"} {
		quoted, _ := json.Marshal(path)
		for name, in := range map[string]string{
			"file.read": `{"path":` + string(quoted) + `}`, "file.write": `{"path":` + string(quoted) + `,"content":"pwned"}`,
			"file.edit": `{"path":` + string(quoted) + `,"old":"secret","new":"pwned"}`, "file.list": `{"path":` + string(quoted) + `}`,
			"file.grep": `{"pattern":"secret","path":` + string(quoted) + `}`, "file.find": `{"pattern":"*","path":` + string(quoted) + `}`,
		} {
			if out, err := call[json.RawMessage](t, dir, name, in); err == nil {
				t.Errorf("%s %q gave %s", name, path, out)
			} else if strings.Contains(err.Error(), parent) && !filepath.IsAbs(path) {
				t.Errorf("%s %q tells where the folder is: %v", name, path, err)
			}
		}
	}
	holds(t, parent, "secret/key.txt", "secret")
	if out, err := call[files.GrepOutput](t, dir, "file.grep", `{"pattern":"secret|inside"}`); err != nil || out.Text != "in/a.txt:1: inside" {
		t.Errorf("found %q, %v", out.Text, err)
	}
	if out, err := call[files.ReadOutput](t, dir, "file.read", `{"path":"fine"}`); err != nil || out.Text != "inside" {
		t.Errorf("a link inside the folder: %q, %v", out.Text, err)
	}
	_, err := call[files.WriteOutput](t, dir, "file.write", `{"path":"fine","content":"x"}`)
	fails(t, err, function.KindFailed, "is a link")
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.txt", "one\ntwo\r\nthree")
	put(t, dir, "b.bin", "\x00\x01\xff")
	put(t, dir, "latin.txt", "caf\xe9")
	put(t, dir, "long.txt", strings.Repeat("é", 200_000))
	put(t, dir, "empty", "")
	for in, want := range map[string]files.ReadOutput{
		`{"path":"a.txt"}`:                        {Path: "a.txt", Exists: true, Text: "one\ntwo\r\nthree", Size: 14, Lines: 3},
		`{"path":"./a.txt","line":2,"lines":1}`:   {Path: "a.txt", Exists: true, Text: "two\r\n", Size: 14, Lines: 3},
		`{"path":"a.txt","line":"3","lines":"9"}`: {Path: "a.txt", Exists: true, Text: "three", Size: 14, Lines: 3},
		`{"path":"a.txt","line":9}`:               {Path: "a.txt", Exists: true, Size: 14, Lines: 3},
		`{"path":"a.txt","lines":0}`:              {Path: "a.txt", Exists: true, Size: 14, Lines: 3},
		`{"path":"empty"}`:                        {Path: "empty", Exists: true},
		`{"path":"none","optional":true}`:         {Path: "none"},
		`{"path":"b.bin","encoding":"base64"}`:    {Path: "b.bin", Exists: true, Text: "AAH/", Size: 3},
		`{"path":"long.txt"}`:                     {Path: "long.txt", Exists: true, Text: strings.Repeat("é", 131072), Size: 400_000, Lines: 1, Truncated: true},
	} {
		if out, err := call[files.ReadOutput](t, dir, "file.read", in); err != nil || out != want {
			t.Errorf("%s: %.200v, %v", in, out, err)
		}
	}
	put(t, dir, "huge", strings.Repeat("x", 8<<20+1))
	for in, want := range map[string][2]string{
		`{"path":"none"}`: {function.KindFailed, "there is no none"}, `{"path":"b.bin"}`: {function.KindFailed, "is not text"}, `{"path":"latin.txt"}`: {function.KindFailed, "is not text"},
		`{"path":"."}`: {function.KindFailed, "is a folder"}, `{}`: {function.KindBadInput, "give path"}, `{"path":"a.txt","line":0}`: {function.KindBadInput, "from 1"},
		`{"path":"a.txt","encoding":"hex"}`: {function.KindBadInput, "base64"}, `{"path":"huge"}`: {function.KindFailed, "larger than"}, `{"path":"a.txt/b"}`: {function.KindFailed, "a.txt/b"},
	} {
		_, err := call[files.ReadOutput](t, dir, "file.read", in)
		fails(t, err, want[0], want[1])
	}
}

func TestListFindGrep(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.md", "Alpha\nbeta (x)\n")
	put(t, dir, "docs/b.md", "alpha\n"+strings.Repeat("long", 1000))
	put(t, dir, "docs/deep/c.txt", "ALPHA\r\n")
	put(t, dir, "docs/deep/d.bin", "alpha\x00")
	put(t, dir, "docs.md/e.md", "none")
	for in, want := range map[string]string{
		`{}`: "a.md\ndocs/\ndocs.md/", `{"depth":2}`: "a.md\ndocs/\ndocs/b.md\ndocs/deep/\ndocs.md/\ndocs.md/e.md",
		`{"path":"docs","depth":0}`: "docs/b.md\ndocs/deep/\ndocs/deep/c.txt\ndocs/deep/d.bin",
	} {
		out, err := call[files.ListOutput](t, dir, "file.list", in)
		if err != nil || out.Text != want || out.Truncated || out.Entries[0].Modified == "" {
			t.Errorf("%s: %q, %v", in, out.Text, err)
		}
	}
	for in, want := range map[string]string{
		`{"pattern":"*.md"}`: "a.md docs/b.md docs.md/e.md", `{"pattern":"docs/**/*"}`: "docs/b.md docs/deep/c.txt docs/deep/d.bin", `{"pattern":"docs/*.md"}`: "docs/b.md",
		`{"pattern":"**/deep/?.txt"}`: "docs/deep/c.txt", `{"pattern":"*.md","path":"docs"}`: "docs/b.md", `{"pattern":"none"}`: "", `{"pattern":"deep/*","path":"docs"}`: "docs/deep/c.txt docs/deep/d.bin",
	} {
		if out, err := call[files.FindOutput](t, dir, "file.find", in); err != nil || strings.Join(out.Files, " ") != want || out.Files == nil {
			t.Errorf("%s: %v, %v", in, out.Files, err)
		}
	}
	for in, want := range map[string]string{
		`{"pattern":"alpha"}`: "docs/b.md:1: alpha", `{"pattern":"^ALPHA$","ignore_case":true}`: "a.md:1: Alpha\ndocs/b.md:1: alpha\ndocs/deep/c.txt:1: ALPHA",
		`{"pattern":"(x)","literal":true}`: "a.md:2: beta (x)", `{"pattern":"long"}`: "docs/b.md:2: " + strings.Repeat("long", 125),
		`{"pattern":"a","path":"a.md"}`: "a.md:1: Alpha\na.md:2: beta (x)", `{"pattern":"(?i)alpha","files":"docs/**"}`: "docs/b.md:1: alpha\ndocs/deep/c.txt:1: ALPHA",
	} {
		if out, err := call[files.GrepOutput](t, dir, "file.grep", in); err != nil || out.Text != want || out.Truncated {
			t.Errorf("%s: %q, %v", in, out.Text, err)
		}
	}
	if out, err := call[files.GrepOutput](t, dir, "file.grep", `{"pattern":".","limit":2}`); err != nil || out.Count != 2 || !out.Truncated {
		t.Errorf("limit: %+v, %v", out, err)
	}
	for name, in := range map[string]string{"file.grep": `{"pattern":"("}`, "file.find": `{"pattern":"["}`} {
		_, err := call[json.RawMessage](t, dir, name, in)
		fails(t, err, function.KindBadInput, "pattern")
	}
	if problems := find(t, files.Options{Dir: dir}, "file.find").Check(json.RawMessage(`{"pattern":"["}`)); len(problems) != 1 {
		t.Errorf("check: %v", problems)
	}
	_, err := call[files.ListOutput](t, dir, "file.list", `{"path":"a.md"}`)
	fails(t, err, function.KindFailed, "is not a folder")
}

func TestManyFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range 1200 {
		put(t, dir, filepath.Join(strings.Repeat("d", 1+i%7), strings.Repeat("f", 1+i/7)), "x\ny\n")
	}
	list, err := call[files.ListOutput](t, dir, "file.list", `{"depth":0}`)
	if err != nil || len(list.Entries) != 1000 || !list.Truncated {
		t.Errorf("listed %d, %t, %v", len(list.Entries), list.Truncated, err)
	}
	found, err := call[files.FindOutput](t, dir, "file.find", `{"pattern":"**"}`)
	if err != nil || found.Count != 1000 || !found.Truncated {
		t.Errorf("found %d, %t, %v", found.Count, found.Truncated, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := callIn[files.GrepOutput](t, ctx, dir, "file.grep", `{"pattern":"x"}`); err == nil {
		t.Error("a search goes on after its end")
	}
}

// TestGrepIsBounded: neither a large program, nor a long line, nor many files keep a step for
// long; the error says so, and no part of the matches looks like all of them.
func TestGrepIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".txt")), []byte(strings.Repeat(strings.Repeat("ab", 5_000)+"\n", 50)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one := filepath.Join(dir, "one")
	if err := os.Mkdir(one, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(one, "long.txt"), []byte(strings.Repeat("ab", 500_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	wantSlow := func(in, want string) {
		t.Helper()
		began := time.Now()
		out, err := call[files.GrepOutput](t, dir, "file.grep", in)
		if err == nil || !strings.Contains(err.Error(), want) || time.Since(began) > 5*time.Second {
			t.Errorf("%.60s: after %v %v, %v", in, time.Since(began), out.Count, err)
		}
	}
	wantSlow(`{"pattern":"`+strings.Repeat("a{1000}", 100)+`"}`, "too large")
	wantSlow(`{"pattern":"(([ab]{1,30}){1,30}x)$","path":"one"}`, "takes longer")
	wantSlow(`{"pattern":"(([ab]{1,30}){1,30}x)$","path":"one/long.txt"}`, "takes longer")
	files.SearchFor(t, 300*time.Millisecond)
	wantSlow(`{"pattern":"(([ab]{1,30}){1,30}x)$","files":"*.txt"}`, "takes longer")
}
