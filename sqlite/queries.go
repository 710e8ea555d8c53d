package sqlite

import (
	"embed"
	"regexp"
	"strconv"
	"strings"
)

//go:embed sql/*.sql
var files embed.FS

// queries holds the statements of sql/ by name.
var queries = readQueries()

func readQueries() map[string]string {
	entries, err := files.ReadDir("sql")
	if err != nil {
		panic("sqlite: embedded statements: " + err.Error())
	}
	all := make(map[string]string, len(entries))
	for _, e := range entries {
		b, err := files.ReadFile("sql/" + e.Name())
		if err != nil {
			panic("sqlite: embedded statements: " + err.Error())
		}
		all[strings.TrimSuffix(e.Name(), ".sql")] = unnumbered(bare(string(b)))
	}
	return all
}

// bare strips comments and the end of the statement: the driver keeps a statement
// compiled only when nothing, not even a newline, follows it.
func bare(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "--") {
			lines = append(lines, line)
		}
	}
	return strings.TrimRight(strings.Join(lines, ""), "; \n\t")
}

var parameters = regexp.MustCompile(`\?[0-9]+`)

// unnumbered takes the numbers off parameters that come in their order, each once: the driver looks the
// name of a numbered one up each time it binds it.
func unnumbered(text string) string {
	for i, parameter := range parameters.FindAllString(text, -1) {
		if parameter != "?"+strconv.Itoa(i+1) {
			return text
		}
	}
	return parameters.ReplaceAllString(text, "?")
}

// query returns a statement by its file's name.
func query(name string) string {
	text, ok := queries[name]
	if !ok {
		panic("sqlite: there is no statement sql/" + name + ".sql")
	}
	return text
}
