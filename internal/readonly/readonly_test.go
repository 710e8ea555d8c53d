package readonly_test

import (
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/internal/readonly"
)

func TestReads(t *testing.T) {
	for _, query := range []string{
		"MATCH (n:STEP {id: $id}) RETURN n",
		"  // CREATE\n optional match (n) return n.set, n.create AS `SET`",
		"MATCH (n:CREATE|DELETE)-[:SET]->(m) WHERE n.name = 'it\\'s; DELETE' RETURN {set: 1, load: 2}",
		"UNWIND [1,2] AS x RETURN x /* MERGE */",
		"CALL db.labels() YIELD label RETURN label",
		"CALL db.index.fulltext.queryNodes('i', $q) YIELD node RETURN node",
		"MATCH (n) CALL (n) { MATCH (n)--(m) RETURN count(m) AS c } RETURN c",
		"CALL { RETURN 1 AS x } RETURN x",
		"RETURN date.truncate('day', datetime()), point.distance($a, $b), vector . similarity . cosine($a, $b)",
		"MATCH (load) WHERE load.csv IN ['x'] RETURN load.csv",
		"MATCH (n) WHERE n.a.b IS NULL AND exists(n.c) RETURN size(n.list)",
		"RETURN \"a\\\"b\" + `odd``name`.x",
		"MATCH (n) WHERE n.name =~ '(?i).*(green|blue) tea.*' RETURN n",
		`MATCH (n) WHERE n.mail =~ "[^@ ]+@[a-z\\\\.]+" AND n.x =~ '\\\\d{4}-\\\\d{2}' RETURN [x IN n.list WHERE x =~ 'a?(bc)?' | x]`,
	} {
		if err := readonly.Check(query); err != nil {
			t.Errorf("%s is refused: %v", query, err)
		}
	}
}

func TestRefused(t *testing.T) {
	tests := map[string]string{
		"RETURN $t =~ $p":                   "written out",
		"RETURN $t =~ ref_0":                "written out",
		"RETURN $t =~ ('a' + $p)":           "written out",
		"RETURN $t =~ /* x */ toString($p)": "written out",
		"RETURN $t =~ 'a' + $p":             "one text",
		"RETURN $t =~ 'a' || $p":            "one text",
		"RETURN $t =~ '(.*a){25}'":          "repeats a group",
		"RETURN $t =~ '(a|aa)+'":            "repeats a group",
		"RETURN $t =~ \"(?x)(a+) +\"":       "a group with ?",
		"RETURN $t =~ '(?i)(?:a|a)*'":       "repeats a group",
		"RETURN $t =~ '.*.*.*'":             "2 parts that repeat",
		"RETURN $t =~ '.{1,9}.{1,9}.{1,9}'": "2 parts that repeat",
		"RETURN $t =~ '[[a]b](a+)+'":        "class within a class",
		"RETURN $t =~ '[]](a+)+'":           "repeats a group",
		"RETURN $t =~ '(a+)\\\\1'":          "refers to a group",
		"RETURN $t =~ '\\\\\\\\(a+)+'":      "repeats a group",
		"RETURN $t =~ '" + strings.Repeat("a?", 30) + strings.Repeat("a", 30) + "'": "12 choices",
		"RETURN $t =~ '" + strings.Repeat("(a|a)", 30) + "'":                        "12 choices",
		"RETURN any(x IN $l WHERE x =~ '(a+)+')":                                    "repeats a group",
		"RETURN {a: apoc.demo.read('file:///x')} AS x":                              "function apoc.demo.read may not",
		"RETURN [x IN [1] | apoc.demo.read('http://127.0.0.1/')] AS x":              "function apoc.demo.read may not",
		"MATCH (n) WHERE n:A&apoc.demo.read('x') RETURN n":                          "function apoc.demo.read may not",
		"MATCH (n) WHERE n:!apoc.demo.read('x') RETURN n":                           "function apoc.demo.read may not",
		"RETURN apoc\x1c.demo.read('x')":                                            "character U+001C",
		"RETURN apoc\u180e.demo.read('x')":                                          "character U+180E",
		"RETURN apoc\u00a0.demo.read('x')":                                          "character U+00A0",
		"RETURN apoc\u200b.demo.read('x')":                                          "character U+200B",
		"":                                                                          "there is none",
		"/* MATCH */":                                                               "there is none",
		"CREATE (n)":                                                                "begin with one of",
		"SHOW USERS":                                                                "begin with one of",
		"TERMINATE TRANSACTIONS 'x'":                                                "begin with one of",
		"USE system MATCH (n) RETURN n":                                             "begin with one of",
		"EXPLAIN MATCH (n) RETURN n":                                                "begin with one of",
		"PROFILE MATCH (n) DELETE n":                                                "begin with one of",
		"`MATCH` (n) RETURN n":                                                      "begin with one of",
		"MATCH (n) SET n.x = 1":                                                     "SET writes",
		"MATCH (n) detach delete n":                                                 "DETACH writes",
		"MATCH (n) REMOVE n.x RETURN n":                                             "REMOVE writes",
		"MATCH (n) MERGE (m) RETURN m":                                              "MERGE writes",
		"MATCH (n)/**/CREATE(m)":                                                    "CREATE writes",
		"WITH 1 AS x FOREACH (y IN [x] | CREATE (n))":                               "FOREACH writes",
		"CALL { CREATE (n) } RETURN 1":                                              "CREATE writes",
		"MATCH (n) RETURN n; MATCH (m) RETURN m":                                    "only one statement",
		"WITH 1 AS x LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l":              "LOAD CSV",
		"WITH 1 AS x load /**/ csv FROM $u AS l RETURN l":                           "LOAD CSV",
		`WITH 1 AS x \u004cOAD CSV FROM 'x' AS l RETURN l`:                          `\u escape`,
		`RETURN 'a\u0027 CREATE (n) //'`:                                            `\u escape`,
		"CALL dbms.killQuery('x')":                                                  "procedure dbms.killQuery may not",
		"CALL apoc.load.json('http://x') YIELD value RETURN value":                  "procedure apoc.load.json may not",
		"CALL `apoc`.`load` . json('x') YIELD value RETURN value":                   "procedure apoc.load.json may not",
		"MATCH (n) CALL db.createLabel('x') RETURN n":                               "procedure db.createLabel may not",
		"RETURN apoc.cypher.runFirstColumnSingle('CREATE (n)', {})":                 "function apoc.cypher.runFirstColumnSingle may not",
		"RETURN genai.vector.encode('x', 'OpenAI', {})":                             "function genai.vector.encode may not",
		"RETURN `apoc`.load.`x`('y')":                                               "function apoc.load.x may not",
		"WITH 1. CREATE (n)":                                                        "CREATE writes",
		"RETURN 'open":                                                              "a ' is not closed",
		"RETURN 1 /* open":                                                          "a comment is not closed",
	}
	for query, want := range tests {
		if err := readonly.Check(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v\nwant %s", query, err, want)
		}
	}
}

func TestReplace(t *testing.T) {
	write := func(name string) string { return "$" + name }
	got, err := readonly.Replace("MATCH (n {id: ref_0}) WHERE n.x = ref_1 OR n.y = ref_01 /* ref_0 */ RETURN 'ok'", []string{"ref_0", "ref_1"}, write)
	if want := "MATCH (n {id: $ref_0}) WHERE n.x = $ref_1 OR n.y = ref_01 /* ref_0 */ RETURN 'ok'"; got != want || err != nil {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	for _, query := range []string{"RETURN 'a ref_0'", "MATCH (n:`ref_0`) RETURN n", `RETURN "ref_0"`, "RETURN 'x"} {
		if got, err := readonly.Replace(query, []string{"ref_0"}, write); err == nil {
			t.Errorf("%s gives %s", query, got)
		}
	}
}

// FuzzReplace: whatever is replaced by itself stays as it was, so tokens lose nothing.
func FuzzReplace(f *testing.F) {
	f.Add("MATCH (n:`a``b`) // x\nRETURN 'y\\'', \"z\", 1.5 /* c */")
	f.Fuzz(func(t *testing.T, query string) {
		got, err := readonly.Replace(query, []string{"RETURN"}, func(name string) string { return name })
		if err == nil && got != query {
			t.Errorf("%q becomes %q", query, got)
		}
		_ = readonly.Check(query)
	})
}
