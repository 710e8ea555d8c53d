package formats_test

import (
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/stepgraph/stepgraph/formats"
)

var update = flag.Bool("update", false, "draw the workflows of docs/formats/README.md anew")

// drawn is a drawing on the page and the file it is of.
var drawn = regexp.MustCompile("(?s)<!-- drawn: (\\S+) -->\n```mermaid\n(.*?)```\n")

// TestPageShowsEveryFormat: the page of formats has a row for each one, and its drawings are
// those of the files as they are.
func TestPageShowsEveryFormat(t *testing.T) {
	const file = "../docs/formats/README.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, name := range formats.ExportFormats() {
		if !regexp.MustCompile("(?m)^\\| \\[?`" + name + "`").MatchString(page) {
			t.Errorf("there is no row for %s", name)
		}
	}
	drawings := 0
	want := drawn.ReplaceAllStringFunc(page, func(part string) string {
		drawings++
		name := drawn.FindStringSubmatch(part)[1]
		src, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		drawing, err := formats.Export(loadOne(t, name, string(src)), "mermaid")
		if err != nil {
			t.Fatal(err)
		}
		return "<!-- drawn: " + name + " -->\n```mermaid\n" + string(drawing.Text) + "```\n"
	})
	if drawings == 0 {
		t.Error("nothing is drawn")
	}
	if *update && want != page {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != page {
		t.Errorf("a drawing is not that of its file: go test ./formats -run Page -update")
	}
}
