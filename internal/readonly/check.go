package readonly

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	// starts are the words a query may begin with: SHOW, TERMINATE, EXPLAIN, USE and all
	// that administers are not among them.
	starts = []string{"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL"}
	writes = []string{"CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "FOREACH", "INSERT", "DROP"}

	// procedures only look at the schema or search an index.
	procedures = []string{
		"db.labels", "db.relationshiptypes", "db.propertykeys", "db.schema.visualization",
		"db.schema.nodetypeproperties", "db.schema.reltypeproperties", "db.info", "db.ping",
		"db.index.fulltext.querynodes", "db.index.fulltext.queryrelationships",
		"db.index.vector.querynodes", "db.index.vector.queryrelationships",
	}
	// namespaces of functions that only calculate.
	namespaces = []string{"point", "duration", "date", "datetime", "localdatetime", "time", "localtime", "vector"}
)

// escape is one that the server reads before anything else, inside and outside of
// strings; with it a text is not what it looks like.
var escape = regexp.MustCompile(`\\[uU]`)

// Check tells why a query may do more than read, nil when it looks as if it only reads.
func Check(query string) error {
	if escape.MatchString(query) {
		return fmt.Errorf(`query: a \u escape is not possible here; write the character itself`)
	}
	tokens, err := scan(query)
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	if err := patterns(tokens); err != nil {
		return err
	}
	tokens = visible(tokens)
	if len(tokens) == 0 {
		return fmt.Errorf("query: there is none")
	}
	if first := tokens[0]; first.kind != word || !slices.Contains(starts, strings.ToUpper(first.text)) {
		return fmt.Errorf("query: only queries that read are possible; begin with one of %s, not %q", strings.Join(starts, ", "), first.text)
	}
	for i, t := range tokens {
		if err := checkToken(tokens, i, t); err != nil {
			return err
		}
	}
	return nil
}

func checkToken(tokens []token, i int, t token) error {
	if t.text == ";" {
		return fmt.Errorf("query: only one statement is possible; leave out the ;")
	}
	if t.kind == other {
		return nil
	}
	// A call with a namespace is judged wherever it stands: what follows a colon may be a
	// label, and it may be the value of a map.
	if err := function(tokens, i); err != nil {
		return err
	}
	if isName(tokens, i) {
		return nil
	}
	upper := strings.ToUpper(t.text)
	switch {
	case t.kind == word && slices.Contains(writes, upper):
		return fmt.Errorf("query: %s writes, and only queries that read are possible; a name that is called so needs backticks", upper)
	case t.kind == word && upper == "LOAD" && i+1 < len(tokens) && strings.EqualFold(tokens[i+1].text, "CSV"):
		return fmt.Errorf("query: LOAD CSV reads files and addresses, and only the graph may be read")
	case t.kind == word && upper == "CALL":
		return procedure(tokens[i+1:])
	}
	return nil
}

// isName reports whether a token can only be a name: a property, label, type or parameter, or
// a key of a map.
func isName(tokens []token, i int) bool {
	if i > 0 && slices.Contains([]string{":", "$", "|", "&", "!"}, tokens[i-1].text) {
		return true
	}
	if i > 1 && tokens[i-1].text == "." && !isDigit(tokens[i-2].text) {
		return true
	}
	return i+1 < len(tokens) && tokens[i+1].text == ":"
}

// isDigit tells a number with a dot at its end, after which a clause may stand.
func isDigit(text string) bool { return text >= "0" && text <= "9" }

// procedure looks at what follows CALL: a subquery, or a name of the list.
func procedure(tokens []token) error {
	if len(tokens) > 0 && (tokens[0].text == "{" || tokens[0].text == "(") {
		return nil
	}
	name, _ := dotted(tokens)
	if slices.Contains(procedures, strings.ToLower(name)) {
		return nil
	}
	return fmt.Errorf("query: the procedure %s may not be called; those that may are %s", name, strings.Join(procedures, ", "))
}

// function looks at a call with a namespace. A name without one is the server's own.
func function(tokens []token, at int) error {
	if at > 0 && (tokens[at-1].text == "." || strings.EqualFold(tokens[at-1].text, "CALL")) {
		return nil // within a name that its beginning has been judged by, or of a procedure
	}
	tokens = tokens[at:]
	name, length := dotted(tokens)
	if length < 3 || length >= len(tokens) || tokens[length].text != "(" {
		return nil
	}
	if space, _, _ := strings.Cut(strings.ToLower(name), "."); slices.Contains(namespaces, space) {
		return nil
	}
	return fmt.Errorf("query: the function %s may not be called; of those with a namespace only %s may", name, strings.Join(namespaces, ", "))
}

// dotted reads a name with dots and tells how many tokens it takes.
func dotted(tokens []token) (name string, length int) {
	for i, t := range tokens {
		if i%2 == 0 && t.kind != word && t.kind != quoted || i%2 == 1 && t.text != "." {
			break
		}
		name, length = name+strings.Trim(t.text, "`"), i+1
	}
	return strings.TrimSuffix(name, "."), length
}

// Replace puts what write gives in the place of the words of a query that are among names.
// One in a string or in backticks is an error; comments are left alone.
func Replace(query string, names []string, write func(name string) string) (string, error) {
	tokens, err := scan(query)
	if err != nil {
		return "", fmt.Errorf("query: %w", err)
	}
	var b strings.Builder
	for _, t := range tokens {
		switch {
		case t.kind == word && slices.Contains(names, t.text):
			b.WriteString(write(t.text))
			continue
		case t.kind == quoted || t.kind == hidden && !strings.HasPrefix(t.text, "/"):
			for _, name := range names {
				if strings.Contains(t.text, name) {
					return "", fmt.Errorf("query: a reference stands inside quotes; leave the quotes out, it becomes a parameter")
				}
			}
		}
		b.WriteString(t.text)
	}
	return b.String(), nil
}
