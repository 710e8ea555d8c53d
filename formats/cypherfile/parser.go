package cypherfile

import "strings"

// maxDepth bounds how deep lists, maps, brackets and signs may stand in one another.
const maxDepth = 100

type parser struct {
	tokens  []token
	next    int
	depth   int
	lenient bool // inside RETURN, which is not evaluated: every expression may stand there
}

// parse reads all statements of a file.
func parse(tokens []token) ([]*statement, error) {
	p := &parser{tokens: tokens}
	var all []*statement
	for {
		for p.peek().isSign(";") {
			p.next++
		}
		if p.peek().kind == endOfFile {
			return all, nil
		}
		st, err := p.statement()
		if err != nil {
			return nil, err
		}
		all = append(all, st)
	}
}

func (p *parser) peek() token { return p.tokens[p.next] }

// ahead returns the n-th token from here; behind the end it is the end.
func (p *parser) ahead(n int) token {
	return p.tokens[min(p.next+n, len(p.tokens)-1)]
}

func (p *parser) take() token {
	t := p.tokens[p.next]
	if t.kind != endOfFile && t.kind != broken {
		p.next++
	}
	return t
}

// accept takes the sign if it comes next.
func (p *parser) accept(s string) bool {
	if p.peek().isSign(s) {
		p.next++
		return true
	}
	return false
}

// word takes the keyword if it comes next.
func (p *parser) word(keyword string) bool {
	if p.peek().is(keyword) {
		p.next++
		return true
	}
	return false
}

func (p *parser) expect(s string) error {
	if p.accept(s) {
		return nil
	}
	return p.unexpected(`"` + s + `"`)
}

// unexpected says what stands here instead of what was wanted, and recognises the slip
// that is by far the most common in workflow files: a quote inside a text.
func (p *parser) unexpected(want string) error {
	t := p.peek()
	if t.kind == broken {
		return faultf(t.at, "%s", t.value)
	}
	hint := ""
	if p.next > 0 {
		before := p.tokens[p.next-1]
		if before.kind == text && (t.kind == name || t.kind == text || t.kind == integer || t.kind == float) {
			hint = `; if the text before it should go on, write its inner quotes as \' or \"`
		}
	}
	return faultf(t.at, "unexpected %s, expected %s%s", t, want, hint)
}

// identifier takes a name: keywords are not reserved where a name must stand.
func (p *parser) identifier(what string) (string, error) {
	if t := p.peek(); t.kind == name || t.kind == quotedName {
		p.next++
		return t.value, nil
	}
	return "", p.unexpected(what)
}

func (p *parser) deeper() error {
	p.depth++
	if p.depth > maxDepth {
		return faultf(p.peek().at, "nested more than %d levels deep", maxDepth)
	}
	return nil
}

// refusedClauses are the clauses and prefixes of Cypher that workflow files do without.
var refusedClauses = map[string]string{
	"CALL": "CALL", "UNWIND": "UNWIND", "FOREACH": "FOREACH", "LOAD": "LOAD CSV", "UNION": "UNION", "USE": "USE",
	"INSERT": "INSERT", "SHOW": "SHOW", "EXPLAIN": "EXPLAIN", "PROFILE": "PROFILE", "TERMINATE": "TERMINATE",
	"ALTER": "ALTER", "GRANT": "GRANT", "DENY": "DENY", "REVOKE": "REVOKE", "RENAME": "RENAME", "START": "START",
	"STOP": "STOP", "CYPHER": "CYPHER", "NODETACH": "NODETACH DELETE", "ORDER": "ORDER BY", "SKIP": "SKIP", "OFFSET": "OFFSET",
	"LIMIT": "LIMIT", "PERIODIC": "USING PERIODIC COMMIT", "USING": "USING", "ENABLE": "ENABLE", "LET": "LET", "FILTER": "FILTER",
}

func (p *parser) statement() (*statement, error) {
	if t := p.peek(); t.isSign(":") && t.first {
		return nil, refused(t.at, "the command :"+p.ahead(1).value+" of Neo4j Browser")
	}
	st := &statement{}
	for {
		t := p.peek()
		if t.kind == endOfFile || t.isSign(";") {
			p.accept(";")
			return st, nil
		}
		if n := len(st.clauses); n > 0 {
			if _, ends := st.clauses[n-1].(*returnClause); ends {
				return nil, p.unexpected(`";"`)
			}
		}
		c, err := p.clause(len(st.clauses) == 0)
		if err != nil {
			return nil, err
		}
		st.clauses = append(st.clauses, c)
	}
}

func (p *parser) clause(first bool) (clause, error) {
	t := p.peek()
	if t.kind == name {
		p.next++
		switch keyword := strings.ToUpper(t.value); keyword {
		case "CREATE", "DROP":
			if first {
				if c := p.schema(t); c != nil {
					return c, nil
				}
			}
			if keyword == "CREATE" {
				return p.create(t.at)
			}
		case "MERGE":
			return p.merge(t.at)
		case "MATCH":
			return p.match(t.at, false)
		case "OPTIONAL":
			if p.word("MATCH") {
				return p.match(t.at, true)
			}
			return nil, refused(t.at, "OPTIONAL "+p.peek().value)
		case "SET":
			items, err := p.setItems(true)
			return &setClause{at: t.at, items: items}, err
		case "REMOVE":
			items, err := p.setItems(false)
			return &removeClause{at: t.at, items: items}, err
		case "DETACH":
			if !p.word("DELETE") {
				return nil, p.unexpected("DELETE")
			}
			return p.delete(t.at, true)
		case "DELETE":
			return p.delete(t.at, false)
		case "WITH":
			return p.with(t.at)
		case "RETURN":
			return p.returns(t.at)
		case "FINISH":
			return &returnClause{at: t.at, name: "FINISH"}, nil
		default:
			if what, known := refusedClauses[keyword]; known {
				return nil, refused(t.at, what)
			}
		}
		p.next--
	}
	return nil, p.unexpected("a clause such as CREATE, MERGE, MATCH, SET or RETURN")
}

// schema reads CREATE or DROP of an index or constraint up to its end, or returns nil if
// this is something else. The engine's migrations own the schema, so what it says is
// not looked at.
func (p *parser) schema(t token) clause {
	at := p.next
	for p.peek().kind == name {
		switch strings.ToUpper(p.peek().value) {
		case "CONSTRAINT", "INDEX":
			c := &schemaClause{at: t.at, what: strings.ToUpper(t.value + " " + p.peek().value)}
			for p.peek().kind != endOfFile && p.peek().kind != broken && !p.peek().isSign(";") {
				p.next++
			}
			return c
		case "OR", "REPLACE", "RANGE", "TEXT", "POINT", "LOOKUP", "FULLTEXT", "VECTOR", "BTREE":
			p.next++
			continue
		}
		break
	}
	p.next = at
	return nil
}
