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
	all = append(all, yamlBombs()...)
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

// yamlBombs are texts that only YAML makes large, deep, or several things at once.
func yamlBombs() []hostile {
	const head = "format: stepgraph\nversion: 1\n"
	var all []hostile
	for name, text := range map[string]func() string{
		"laughs": func() string { return head + aliases(10, 12) },
		"self":   func() string { return head + "extra: &x\n  a: [*x, *x]\n" },
		"one-alias": func() string {
			return head + "extra: {a: &a [x, y]}\nsteps: [" + strings.Repeat("*a,", megabyte/3) + "]\n"
		},
		"anchors":     func() string { return head + "steps:\n" + strings.Repeat("  - &a {id: a}\n", megabyte/15) },
		"dashes":      func() string { return head + "steps:\n" + strings.Repeat("- ", megabyte/2) + "a\n" },
		"questions":   func() string { return head + strings.Repeat("? ", megabyte/2) },
		"colons":      func() string { return head + strings.Repeat("a:\n ", megabyte/4) },
		"stairs":      stairs,
		"brackets":    func() string { return head + "steps: " + strings.Repeat("[", megabyte) },
		"braces":      func() string { return head + "steps: " + strings.Repeat("{a: ", megabyte/4) },
		"twice":       func() string { return head + strings.Repeat("name: a\n", megabyte/8) },
		"many-keys":   func() string { return head + "extra: {" + manyKeys(50_000) + "}\n" },
		"comments":    func() string { return head + strings.Repeat("# x\n", megabyte/4) + "steps: [{id: root}]\n" },
		"after-each":  func() string { return head + "steps:\n" + strings.Repeat("  - {id: a} # x\n", megabyte/17) },
		"documents":   func() string { return strings.Repeat("---\n"+head, megabyte/36) },
		"digits":      func() string { return head + "extra: {a: " + strings.Repeat("9", megabyte) + "}\n" },
		"exponent":    func() string { return head + "steps: [{id: a, x: 1e999999999}]\n" },
		"octal":       func() string { return head + "steps: [{id: a, x: 0o7777777777777777777777777}]\n" },
		"sixty":       func() string { return head + "steps: [{id: a, x: 190:20:30}]\n" },
		"number-keys": func() string { return head + "extra: {1: a, 2.5: b, .nan: c}\n" },
		"list-keys":   func() string { return head + "extra: {? [a, b] : c}\n" },
		"one-line":    func() string { return head + "steps: [" + manySteps(20_000) + "]\n" },
		"merge":       func() string { return head + "extra: {<<: &a {b: c}, <<: *a}\n" },
		"tags":        func() string { return head + "extra: {a: !!python/object/apply:os.system [touch /tmp/x]}\n" },
		"tag-prefix": func() string {
			return "%TAG ! tag:" + strings.Repeat("x", megabyte) + ":\n---\n" + head + "extra: !a {}\n"
		},
		"binary":     func() string { return head + "extra: {a: !!binary " + strings.Repeat("AAAA", megabyte/4) + "}\n" },
		"folded":     func() string { return head + "name: >\n" + strings.Repeat("  x\n", megabyte/4) },
		"open-quote": func() string { return head + "name: \"" + strings.Repeat("\\u0000", megabyte/6) },
		"tabs":       func() string { return head + "steps:\n" + strings.Repeat("\t", megabyte) + "- id: a\n" },
		"line-ends":  func() string { return head + strings.Repeat("\u2028", megabyte/3) + "a: b: c\n" },
	} {
		all = append(all, made("yaml-"+name+".yaml", text))
	}
	return all
}

// aliases is a list of lists of lists, each of ten times the one before.
func aliases(wide, deep int) string {
	var b strings.Builder
	b.WriteString("extra:\n  a0: &a0 [x]\n")
	for i := range deep {
		fmt.Fprintf(&b, "  a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), wide), ", "))
	}
	return b.String()
}

// stairs are mappings that each stand a blank deeper than the one before.
func stairs() string {
	var b strings.Builder
	for i := range 1400 {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func manySteps(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{id: s%d}, ", i)
	}
	return b.String()
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1, ", i)
	}
	return b.String()
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
	places, sample := len(t.all()), 8
	if large() {
		sample = 24
	}
	for i, text := range bad {
		for k := i; k < places; k += max(1, places/sample) { // another sample for each value
			all = append(all, hostile{fmt.Sprintf("%s-value-%d-%d%s", name, i, k, g.ending), func() []byte {
				copied := t.clone()
				*copied.all()[k] = *leaf(text)
				return copied.bytes()
			}})
		}
	}
	return all
}
