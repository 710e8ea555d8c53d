package refit

import (
	"bytes"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// mostTries bounds how many candidates Fit compiles for one file.
const mostTries = 300

// A Dialect describes a format to Fit.
type Dialect struct {
	Parse func(text []byte) (*engine.Workflow, error)
	// Write returns the ways in which the format may write a text with native references; nil
	// if there are none.
	Write func(text string) []string
	// Before is the file without the nodes and edges added since it was loaded; nil if none
	// were added.
	Before []byte
	// Drawn are the nodes of added steps.
	Drawn Drawing
	// Fields returns the places below a node's data where the format may store an input field
	// that the node does not have yet; nil if there are none.
	Fields func(node gjson.Result, field string) []string
	// Values are the steps that compute what a field of a node reads; nil where the format has none.
	Values *Values
}

// Fit applies the edits of a workflow to the text of its file, and returns the remaining
// problems: edits that the format cannot express.
//
// A compiler maps many fields to few inputs, and a hand-written inverse would not stay
// consistent with it. Instead, each changed text is searched for in the nodes and replaced
// there, and the file is compiled again: a candidate is kept if the result is closer to the
// workflow. So a wrong guess is never written, and an edit without a matching candidate is a
// problem.
func Fit(w *engine.Workflow, text []byte, d Dialect) ([]byte, []engine.Problem) {
	again, err := d.Parse(text)
	if err != nil {
		return text, append(Refused(w, err), problemsOf(unrepresentable(d.Drawn), d.Drawn)...)
	}
	before := again
	if d.Before != nil {
		if before, err = d.Parse(d.Before); err != nil {
			before = again
		}
	}
	in := newInliner(d.Values, w, before)
	f := &fitting{w: in.inline(w), before: in.inline(before), in: in, d: d, text: text, tries: mostTries}
	all := differences(f.w, in.inline(again))
	f.atFirst = keysOf(all)
	f.left = f.own(all)
	for f.step() {
	}
	return f.text, problemsOf(f.left, d.Drawn)
}

// own are the differences that a person made. A node or edge drawn since may change what the
// compiler makes of others (what it leads to waits, what it leaves no longer ends the flow): such
// a difference is none to the file before, and follows from the format's own rules. Of an added
// step the format's node says what it can say; what is set besides has to be as it is.
func (f *fitting) own(list []difference) []difference {
	if len(list) == 0 {
		return nil
	}
	made := keysOf(differences(f.w, f.before))
	return slices.DeleteFunc(list, func(d difference) bool {
		why, added := f.d.Drawn.Why[d.step]
		if !added || d.path != "" {
			return !made[d.key]
		}
		return why == "" && !d.set
	})
}

func keysOf(list []difference) map[string]bool {
	keys := map[string]bool{}
	for _, d := range list {
		keys[d.key] = true
	}
	return keys
}

type fitting struct {
	w       *engine.Workflow
	before  *engine.Workflow // what the file compiled to when nothing was added
	in      inliner
	d       Dialect
	text    []byte
	atFirst map[string]bool // differences before anything was tried
	left    []difference
	tries   int
}

// step makes the file nearer to the workflow by one edit, if it can.
func (f *fitting) step() bool {
	for _, diff := range f.left {
		if f.add(diff) {
			return true
		}
		for _, e := range diff.edits {
			for _, c := range f.candidates(diff, e) {
				if f.tries--; f.tries < 0 {
					return false
				}
				if f.try(c) {
					return true
				}
			}
		}
	}
	return false
}

// add writes a field that was added to a step's input into a place where the format may say it.
func (f *fitting) add(diff difference) bool {
	if f.d.Fields == nil || !strings.HasPrefix(diff.key, "input of ") {
		return false
	}
	at, nodes := f.nodes()
	for i, n := range nodes {
		if !slices.Contains(diff.nodes, n.Get("id").String()) {
			continue
		}
		for _, a := range diff.added {
			for _, path := range f.d.Fields(n, strings.TrimPrefix(a.at, ".")) {
				if f.tries--; f.tries < 0 {
					return false
				}
				if f.try(candidate{n.Get("id").String(), at + "." + strconv.Itoa(i) + ".data." + path, a.value, true}) {
					f.text = indent(f.text)
					return true
				}
			}
		}
	}
	return false
}

// nodes are the nodes of the file, and their place in it.
func (f *fitting) nodes() (at string, nodes []gjson.Result) {
	if found := gjson.GetBytes(f.text, "nodes"); found.Exists() {
		return "nodes", found.Array()
	}
	return "graph.nodes", gjson.GetBytes(f.text, "graph.nodes").Array()
}

func (f *fitting) try(c candidate) bool {
	text, err := sjson.SetBytes(bytes.Clone(f.text), c.path, c.value)
	if err != nil {
		return false
	}
	again, err := f.d.Parse(text)
	if err != nil {
		return false
	}
	all := differences(f.w, f.in.inline(again))
	if slices.ContainsFunc(all, func(d difference) bool { return d.key == "input of "+c.node && !f.atFirst[d.key] }) {
		return false // it undoes what the node's own step says
	}
	left := f.own(all)
	if weight(left) >= weight(f.left) || !c.own && weight(all) >= weight(f.left) {
		return false
	}
	f.text, f.left = text, left
	return true
}

// A candidate is a value for one place of the file.
type candidate struct {
	node  string
	path  string
	value any
	own   bool // a place in the node that was edited; other nodes may follow from it
}

// A leaf is one text, number or boolean of a node.
type leaf struct {
	node  string
	path  string
	value gjson.Result
}

// candidates are the ways to write an edit, those in the node it belongs to first.
func (f *fitting) candidates(diff difference, e edit) []candidate {
	var own, others []candidate
	for _, l := range f.leaves() {
		at := &others
		if slices.Contains(diff.nodes, l.node) {
			at = &own
		}
		for _, value := range f.values(l, e, at == &own) {
			*at = append(*at, candidate{l.node, l.path, value, at == &own})
		}
	}
	return append(own, others...)
}

// leaves are all texts, numbers and booleans of the file's nodes.
func (f *fitting) leaves() []leaf {
	at, nodes := f.nodes()
	var out []leaf
	for i, n := range nodes {
		node := n.Get("id").String()
		var walk func(path string, v gjson.Result, depth int)
		walk = func(path string, v gjson.Result, depth int) {
			if !v.IsObject() && !v.IsArray() {
				out = append(out, leaf{node, path, v})
				return
			}
			if depth > 12 {
				return
			}
			n := -1
			v.ForEach(func(key, value gjson.Result) bool {
				n++
				name := strconv.Itoa(n)
				if v.IsObject() {
					name = escaped(key.String())
				}
				walk(path+"."+name, value, depth+1)
				return true
			})
		}
		if data := n.Get("data"); data.Exists() {
			walk(at+"."+strconv.Itoa(i)+".data", data, 0)
		}
	}
	return out
}

// escaped is a key as sjson takes it.
func escaped(key string) string {
	key = gjson.Escape(key)
	if _, err := strconv.Atoi(key); err == nil {
		return ":" + key
	}
	return key
}

// values are what a leaf may have to be for an edit.
func (f *fitting) values(l leaf, e edit, own bool) []any {
	if e.was.kind != plainText {
		if !own || l.value.Type == gjson.String && l.value.Str != e.was.text || l.value.Type != gjson.String && l.value.Raw != e.was.text {
			return nil
		}
		if l.value.Type == gjson.String {
			return []any{e.is.text}
		}
		return []any{gjson.Parse(e.is.text).Value()}
	}
	if l.value.Type != gjson.String {
		return nil
	}
	var out []any
	for _, pair := range f.spellings(e, l.value.Str) {
		if text, ok := replaced(l.value.Str, pair[0], pair[1], own); ok && text != l.value.Str {
			out = append(out, text)
		}
	}
	return out
}

// spellings are the ways in which the text before and after an edit may stand in a leaf: as it
// is, with the format's own references, and escaped where the leaf is HTML.
func (f *fitting) spellings(e edit, leaf string) [][2]string {
	pairs := [][2]string{{e.was.text, e.is.text}}
	if f.d.Write != nil && (strings.Contains(e.was.text, "@{") || strings.Contains(e.is.text, "@{")) {
		was, is := f.d.Write(e.was.text), f.d.Write(e.is.text)
		for i := range min(len(was), len(is)) {
			pairs = append(pairs, [2]string{was[i], is[i]})
		}
	}
	if strings.Contains(leaf, "<") {
		lines := strings.NewReplacer("\n\n", "</p><p>", "\n", "<br>")
		var escaped [][2]string
		for _, p := range pairs {
			escaped = append(escaped, [2]string{lines.Replace(html.EscapeString(p[0])), lines.Replace(html.EscapeString(p[1]))})
		}
		pairs = append(escaped, pairs...)
	}
	return pairs
}

// replaced is a leaf's text after an edit from was to is, of which the leaf may hold all, or
// which may hold all of the leaf.
func replaced(leaf, was, is string, own bool) (string, bool) {
	switch {
	case leaf == was:
		return is, true
	case leaf != "" && strings.Count(was, leaf) == 1 && (own || len(leaf) > 3):
		before, after, _ := strings.Cut(was, leaf)
		if len(is) >= len(before)+len(after) && strings.HasPrefix(is, before) && strings.HasSuffix(is, after) {
			return is[len(before) : len(is)-len(after)], true
		}
		return "", false
	case was != "" && strings.Count(leaf, was) == 1:
		return strings.Replace(leaf, was, is, 1), true
	case !own:
		return "", false
	}
	return spliced(leaf, was, is)
}

// spliced changes in a leaf what differs between was and is, found by what stands around it
// there.
func spliced(leaf, was, is string) (string, bool) {
	before := commonPrefix(was, is)
	after := commonSuffix(was[len(before):], is[len(before):])
	gone, come := was[len(before):len(was)-len(after)], is[len(before):len(is)-len(after)]
	for _, around := range []int{40, 20, 10, 5, 2, 1, 0} {
		left, right := tail(before, around), head(after, around)
		if pattern := left + gone + right; pattern != "" && strings.Count(leaf, pattern) == 1 {
			return strings.Replace(leaf, pattern, left+come+right, 1), true
		}
	}
	return "", false
}

func commonPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return a[:n]
}

func commonSuffix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return a[len(a)-n:]
}

// tail and head are the last and first bytes of a text, whole characters only.
func tail(text string, n int) string {
	at := max(0, len(text)-n)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

func head(text string, n int) string {
	n = min(n, len(text))
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
