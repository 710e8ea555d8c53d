package docs_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the saved queries into queries.md")

// block is a place in the page where a file of queries/ stands.
var block = regexp.MustCompile("(?s)### ([^\n]+)\n(.*?)\\[queries/(\\w+)\\.cypher\\]\\(queries/(\\w+)\\.cypher\\)\n\n```cypher\n(.*?)```\n")

// The page shows every file as it is, under its title. `go test ./internal/docs -update` writes the
// texts of the files into the page; what stands around them is written by hand.
func TestPage(t *testing.T) {
	b, err := os.ReadFile("queries.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	shown := map[string]bool{}
	want := block.ReplaceAllStringFunc(page, func(part string) string {
		m := block.FindStringSubmatch(part)
		q := load(t, m[3])
		if m[1] != q.title || m[3] != m[4] {
			t.Errorf("the page calls %s %q, the file %q", m[3], m[1], q.title)
		}
		if strings.TrimSpace(m[2]) == "" {
			t.Errorf("the page does not say when to use %s", m[3])
		}
		shown[m[3]] = true
		return strings.TrimSuffix(part, m[5]+"```\n") + q.text + "```\n"
	})
	for _, q := range loadAll(t) {
		if !shown[q.name] {
			t.Errorf("the page does not show %s", q.name)
		}
	}
	if want == page {
		return
	}
	if !*update {
		t.Fatal("queries.md does not show the files as they are: go test ./internal/docs -update")
	}
	if err := os.WriteFile("queries.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every saved query is run by a test of this package.
func TestEveryQueryIsTried(t *testing.T) {
	var sources strings.Builder
	for _, file := range []string{"edits_test.go", "looks_test.go", "byhand_test.go"} {
		b, err := os.ReadFile(filepath.Join("../internal/docs", file))
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(b)
	}
	for _, q := range loadAll(t) {
		if !strings.Contains(sources.String(), `w.pastes("`+q.name+`"`) {
			t.Errorf("no test pastes %s", q.name)
		}
	}
}
