package files_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/files"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ in, path, want string }{
		{`{"path":"a/b/c.txt","content":"<é>\n"}`, "a/b/c.txt", "<é>\n"}, {`{"path":"a/b/c.txt","content":{"k": [1]}}`, "a/b/c.txt", `{"k":[1]}`},
		{`{"path":"empty","content":""}`, "empty", ""}, {`{"path":"new","content":"x","create":true}`, "new", "x"},
	} {
		for _, changed := range []bool{true, false} { // the second time does nothing
			out, err := call[files.WriteOutput](t, dir, "file.write", c.in)
			if err != nil || out.Changed != changed || out.Path != c.path || out.Size != len(c.want) {
				t.Errorf("%s: %+v, %v", c.in, out, err)
			}
		}
		holds(t, dir, c.path, c.want)
	}
	_, err := call[files.WriteOutput](t, dir, "file.write", `{"path":"new","content":"y","create":true}`)
	fails(t, err, function.KindFailed, "is there already")
	_, err = call[files.WriteOutput](t, dir, "file.write", `{"path":"a","content":"y"}`)
	fails(t, err, function.KindFailed, "is a folder")
	_, err = call[files.WriteOutput](t, dir, "file.write", `{"path":"new/below","content":"y"}`)
	fails(t, err, function.KindFailed, "new")
	_, err = call[files.WriteOutput](t, dir, "file.write", `{"path":"x"}`)
	fails(t, err, function.KindBadInput, "give content")
	left, _ := filepath.Glob(filepath.Join(dir, "*", ".stepgraph-*"))
	if here, _ := filepath.Glob(filepath.Join(dir, ".stepgraph-*")); len(left)+len(here) > 0 {
		t.Errorf("left behind: %v %v", left, here)
	}
}

func TestWriteKeepsTheMode(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "run.sh", "old")
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := call[files.WriteOutput](t, dir, "file.write", `{"path":"run.sh","content":"new"}`); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "run.sh")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestEdit(t *testing.T) {
	for _, c := range []struct {
		before, in, want string
		replaced, line   int
	}{
		{"a\nb\nc", `"old":"b","new":"B"`, "a\nB\nc", 1, 2},
		{"a b a", `"old":"a","new":"x","all":true`, "x b x", 2, 1},
		{"one two", `"old":" two"`, "one", 1, 1},
		{"v1", `"old":"v1","new":"v1.1"`, "v1.1", 1, 1},
		{"aXa", `"old":"X","new":"[X]"`, "a[X]a", 1, 1},
	} {
		dir := t.TempDir()
		put(t, dir, "f", c.before)
		out, err := call[files.EditOutput](t, dir, "file.edit", `{"path":"f",`+c.in+`}`)
		if err != nil || out.Replaced != c.replaced || out.Line != c.line {
			t.Errorf("%q %s: %+v, %v", c.before, c.in, out, err)
		}
		holds(t, dir, "f", c.want)
		// The same call once more, as after a crash before the result was durable.
		ctx := function.WithCall(t.Context(), &function.Call{Attempt: 2})
		again, err := callIn[files.EditOutput](t, ctx, dir, "file.edit", `{"path":"f",`+c.in+`}`)
		if err != nil || again.Replaced != 0 {
			t.Errorf("again %q %s: %+v, %v", c.before, c.in, again, err)
		}
		holds(t, dir, "f", c.want)
	}
	dir := t.TempDir()
	put(t, dir, "f", "a\na\n")
	put(t, dir, "bin", "a\x00")
	for in, want := range map[string][2]string{
		`{"path":"f","old":"a","new":"b"}`: {function.KindFailed, "2 times, in lines 1 and 2"}, `{"path":"f","old":"z","new":"y"}`: {function.KindFailed, "does not hold"},
		`{"path":"f","old":"z"}`: {function.KindFailed, "does not hold"}, `{"path":"f","old":"a","new":"a"}`: {function.KindBadInput, "other than new"},
		`{"path":"bin","old":"a","new":"b"}`: {function.KindFailed, "is not text"}, `{"path":"none","old":"a"}`: {function.KindFailed, "there is no none"}, `{"path":"f"}`: {function.KindBadInput, "give old"},
	} {
		_, err := call[files.EditOutput](t, dir, "file.edit", in)
		fails(t, err, want[0], want[1])
	}
	holds(t, dir, "f", "a\na\n")
}

// TestEditsSideBySide: no edit loses another, and readers never see half a file.
func TestEditsSideBySide(t *testing.T) {
	const n = 40
	dir := t.TempDir()
	var before strings.Builder
	for i := range n {
		fmt.Fprintf(&before, "line %02d.\n", i)
	}
	put(t, dir, "f", before.String())
	edit := specOf(t, dir, "file.edit")
	read := specOf(t, dir, "file.read")
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if _, err := edit.Function.Call(t.Context(), json.RawMessage(fmt.Sprintf(`{"path":"f","old":"line %02d.","new":"done %02d."}`, i, i))); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			out, err := read.Function.Call(t.Context(), json.RawMessage(`{"path":"f"}`))
			if err != nil || !strings.Contains(string(out), `"lines":40`) {
				t.Errorf("read %s, %v", out, err)
			}
		})
	}
	group.Wait()
	holds(t, dir, "f", strings.ReplaceAll(before.String(), "line", "done"))
}

func specOf(t *testing.T, dir, name string) function.Spec {
	t.Helper()
	return find(t, files.Options{Dir: dir}, name)
}
