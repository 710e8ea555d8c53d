package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

// A saved query is one file of queries/.
type saved struct {
	name   string // the file's, without .cypher
	title  string
	text   string // the whole file
	params []param
}

// A param is one `// :param name => value;` line.
type param struct{ name, value string }

var paramLine = regexp.MustCompile(`(?m)^// :param (\w+) => (.*);$`)

func load(t testing.TB, name string) saved {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("queries", name+".cypher"))
	if err != nil {
		t.Fatal(err)
	}
	q := saved{name: name, text: string(b)}
	first, _, _ := strings.Cut(q.text, "\n")
	q.title = strings.TrimPrefix(first, "// ")
	for _, m := range paramLine.FindAllStringSubmatch(q.text, -1) {
		q.params = append(q.params, param{m[1], m[2]})
	}
	return q
}

func loadAll(t testing.TB) []saved {
	t.Helper()
	files, err := filepath.Glob("queries/*.cypher")
	if err != nil || len(files) == 0 {
		t.Fatalf("no saved queries: %v", err)
	}
	sort.Strings(files)
	var all []saved
	for _, f := range files {
		all = append(all, load(t, strings.TrimSuffix(filepath.Base(f), ".cypher")))
	}
	return all
}

// body is the query without its comment lines.
func (q saved) body() string {
	var lines []string
	for line := range strings.Lines(q.text) {
		if !strings.HasPrefix(line, "//") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// edits reports whether the query writes.
func (q saved) edits() bool {
	return regexp.MustCompile(`(?m)^\s*(SET|CREATE|(?:DETACH )?DELETE|MERGE|REMOVE|FOREACH)\b`).MatchString(q.body())
}

// shown is what a RETURN says of an edit.
var shown = regexp.MustCompile(`(?s)\bold\b.*\bnew\b|AS removed\b`)

var parameter = regexp.MustCompile(`\$(\w+)`)

// Every file begins with its title and a comment, declares exactly the parameters that it
// uses, is one statement, and ends with a RETURN; an edit returns what was and what is.
func TestSavedFiles(t *testing.T) {
	titles := map[string]string{}
	for _, q := range loadAll(t) {
		lines := strings.Split(q.text, "\n")
		if !strings.HasPrefix(q.text, "// ") || !strings.HasPrefix(lines[1], "// ") {
			t.Errorf("%s: want a title and a comment first", q.name)
		}
		if other := titles[q.title]; other != "" {
			t.Errorf("%s and %s are both called %q", q.name, other, q.title)
		}
		titles[q.title] = q.name
		declared := map[string]bool{}
		for _, p := range q.params {
			declared[p.name] = true
		}
		uses := map[string]bool{}
		for _, m := range parameter.FindAllStringSubmatch(q.body(), -1) {
			uses[m[1]] = true
			if !declared[m[1]] {
				t.Errorf("%s uses $%s without a :param line", q.name, m[1])
			}
		}
		for name := range declared {
			if !uses[name] {
				t.Errorf("%s declares %s and does not use it", q.name, name)
			}
		}
		if strings.Contains(q.body(), ";") {
			t.Errorf("%s: several statements are several transactions", q.name)
		}
		at := strings.LastIndex(q.body(), "\nRETURN ")
		if at < 0 {
			t.Errorf("%s does not end with a RETURN", q.name)
			continue
		}
		if q.edits() && !shown.MatchString(q.body()[at:]) {
			t.Errorf("%s edits, and returns neither old and new nor what it removed", q.name)
		}
	}
}
