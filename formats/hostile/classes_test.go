package hostile

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

const megabyte = 1 << 20

// envLarge is set where graphs are as large as files may be: what takes the square of the
// nodes in time or memory shows only there. make verify sets it.
const envLarge = "STEPGRAPH_HOSTILE_LARGE"

// many is how many nodes a graph has that has n of them where files are large.
func many(n int) int {
	if large() {
		return n
	}
	return n / 20
}

func large() bool { return os.Getenv(envLarge) != "" }

// classes are the files that no chance would make: each is one way to do harm.
func classes(goods map[string][]good) []hostile {
	var all []hostile
	if !race { // it takes more time and memory than files may here, and the code is the same
		all = append(bombs(), shapes()...)
	}
	var formats []string
	for format := range goods {
		formats = append(formats, format)
	}
	sort.Strings(formats)
	for _, format := range formats {
		for i, g := range simplest(goods[format]) {
			all = append(all, everywhere(fmt.Sprintf("class/%s-%d", format, i), g)...)
		}
	}
	return all
}

// simplest are the first good files of a format: ours, which hold one of each.
func simplest(goods []good) []good { return goods[:min(2, len(goods))] }

func made(name string, text func() string) hostile {
	return hostile{"class/" + name, func() []byte { return []byte(text()) }}
}

// bombs are texts that cost most for their size.
func bombs() []hostile {
	var all []hostile
	for _, ending := range []string{".json", ".cypher", ".txt"} {
		for name, text := range map[string]func() string{
			"lists":        func() string { return strings.Repeat("[", megabyte) },
			"objects":      func() string { return strings.Repeat(`{"a":`, megabyte/5) },
			"closed-lists": func() string { return strings.Repeat("[", megabyte/2) + strings.Repeat("]", megabyte/2) },
			"ten-thousand": func() string { return nest("[", "]", 9999) },
			"steps-deep":   func() string { return `{"format":"stepgraph","version":1,"steps":` + strings.Repeat("[", megabyte) },
			"nodes-deep": func() string {
				return `{"edges":[],"nodes":[{"type":"agent","data":` + strings.Repeat(`{"data":`, megabyte/8)
			},
			"open-text":    func() string { return `{"nodes": "` + strings.Repeat("x", megabyte) },
			"escapes":      func() string { return `{"nodes": [], "edges": "` + strings.Repeat(`\u0000`, megabyte/6) + `"}` },
			"digits":       func() string { return `{"nodes":[],"edges":[],"n":` + strings.Repeat("9", megabyte) + "}" },
			"keys":         func() string { return "{" + strings.Repeat(`"nodes":[],`, megabyte/11) + `"edges":[]}` },
			"blanks":       func() string { return strings.Repeat(" ", megabyte) + "{" + strings.Repeat("\n", megabyte) + "}" },
			"nothing":      func() string { return "" },
			"nul":          func() string { return strings.Repeat("\x00", megabyte) },
			"not-text":     func() string { return strings.Repeat("\xff\xfe", megabyte/2) },
			"wide":         func() string { return "\xff\xfe{\x00}\x00" },
			"open-comment": func() string { return "CREATE (:STEP {id: 'root'}) /*" + strings.Repeat("/*", megabyte/2) },
			"open-literal": func() string { return "CREATE (:STEP {id: '" + strings.Repeat(`\'`, megabyte/2) },
			"brackets":     func() string { return "CREATE " + strings.Repeat("(", megabyte) },
			"nots":         func() string { return "MATCH (n) WHERE " + strings.Repeat("NOT ", megabyte/4) + "n.x RETURN n" },
			"minus":        func() string { return "CREATE (:STEP {id: 'root', x: " + strings.Repeat("- ", megabyte/2) + "1})" },
			"cypher-lists": func() string {
				return "CREATE (:STEP {id: 'root', x: " + strings.Repeat("[", megabyte/2) + strings.Repeat("]", megabyte/2) + "})"
			},
			"cypher-maps": func() string {
				return "CREATE (:STEP {id: 'root', x: " + strings.Repeat("{a: ", megabyte/8) + "1" + strings.Repeat("}", megabyte/8) + "})"
			},
			"plus": func() string { return "CREATE (:STEP {id: 'root', x: 1" + strings.Repeat("+1", megabyte/2) + "})" },
			"dots": func() string { return "MATCH (n) SET n.x = n" + strings.Repeat(".a", megabyte/2) },
			"cases": func() string {
				return "WITH " + strings.Repeat("CASE WHEN true THEN ", megabyte/20) + "1 AS x RETURN x"
			},
			"one-path": func() string {
				return "CREATE (a0:STEP {id: 'a0'})" + strings.Repeat("-[:NEXT]->(:STEP {id: 'a'})", megabyte/26)
			},
			"products": func() string {
				return strings.Repeat("CREATE (:STEP {id: 'a'});\n", 3000) + "MATCH (a), (b), (c), (d) CREATE (a)-[:NEXT]->(b)"
			},
			"doubling": func() string {
				return "CREATE (:STEP {id: 'root'})" + strings.Repeat("\nWITH 1 AS x UNWIND [1, 2] AS y MATCH (n) CREATE (:STEP {id: 'x'})", 60)
			},
			"texts": func() string { return "WITH 'x' AS t0" + doubled(60) + " CREATE (:STEP {id: 'root', input: t60})" },
			"set-doubles": func() string {
				return "CREATE (n:STEP {id: 'root', a: 'x'}) " + strings.Repeat("SET n.a = n.a + n.a ", 60)
			},
		} {
			all = append(all, made("bomb-"+name+ending, text))
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

// doubled is Cypher in which each name is twice the one before.
func doubled(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, " WITH t%d + t%d AS t%d", i-1, i-1, i)
	}
	return b.String()
}

// everywhere puts each of a few bad values into every place of a good file, one after the
// other.
func everywhere(name string, g good) []hostile {
	t, err := parseTree(g.text)
	if err != nil {
		return nil
	}
	var all []hostile
	bad := []string{"null", `""`, "-1", "1e999", "[]", "{}", `"\ud800"`, nest("[", "]", 250), nest(`{"a":`, "}", 9000), `["x",{"a":null}]`, `"` + strings.Repeat("@{SESSION_ID}.a|${1}{{a}}", 40) + `"`}
	places := len(t.all())
	for i, text := range bad {
		for k := i; k < places; k += max(1, places/24) { // a sample, another for each value
			all = append(all, hostile{fmt.Sprintf("%s-value-%d-%d%s", name, i, k, g.ending), func() []byte {
				copied := t.clone()
				*copied.all()[k] = *leaf(text)
				return copied.bytes()
			}})
		}
	}
	return all
}
