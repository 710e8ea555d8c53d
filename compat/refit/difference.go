package refit

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// A difference is one property in which a workflow is not what its file compiles to.
type difference struct {
	key        string // which property of what
	step, path string
	nodes      []string // of the file that it may come from
	what       string   // in words, without the step
	edits      []edit   // the texts, numbers and booleans that differ
	other      int      // what else differs, which no edit of a text mends
	added      []added  // fields the workflow has and the file does not give
	set        bool     // the workflow has another value than a step has without it
}

// An added field is one of an input that the file does not give.
type added struct {
	at    string
	value any
}

// An edit is one value that the file gives and another one in the workflow.
type edit struct {
	at      string // place in an input, such as .messages[0].content
	was, is scalar
}

// A scalar is a text, or a number or boolean as JSON text.
type scalar struct {
	kind int
	text string
}

const (
	plainText = iota + 1
	otherScalar
)

// weight is how much two workflows differ.
func weight(list []difference) (n int) {
	for _, d := range list {
		n += len(d.edits) + d.other
	}
	return n
}

// differences lists what a workflow has that the one compiled from the written file has not,
// and the other way round.
func differences(has, compiled *engine.Workflow) []difference {
	var out []difference
	theirs := map[string]*engine.Step{}
	for i := range compiled.Steps {
		theirs[compiled.Steps[i].ID] = &compiled.Steps[i]
	}
	for i := range has.Steps {
		s := &has.Steps[i]
		other := theirs[s.ID]
		delete(theirs, s.ID)
		if other == nil {
			out = append(out, difference{key: "new step " + s.ID, step: s.ID, what: "it was added, and the format has no node for it", other: 1, set: true})
			continue
		}
		out = append(out, stepDifferences(s, other)...)
	}
	for _, id := range sorted(theirs) {
		out = append(out, difference{key: "gone step " + id, step: id, what: "the file needs it, and the workflow no longer has it", other: 1})
	}
	return append(out, pathDifferences(has, compiled)...)
}

func stepDifferences(s, other *engine.Step) []difference {
	var out []difference
	nodes := []string{s.ID}
	for _, extra := range []map[string]any{s.Extra, other.Extra} { // what was loaded by an earlier version may lack it
		if of, ok := extra[Of].(string); ok && !slices.Contains(nodes, of) {
			nodes = append(nodes, of)
		}
	}
	for _, p := range []struct {
		name     string
		has, was any
	}{
		{"name", s.Name, other.Name}, {"function", variantOf(s.Function, other.Function), other.Function}, {"input", jsonText(s.Input), jsonText(other.Input)},
		{"join", or(s.Join, engine.JoinAny), or(other.Join, engine.JoinAny)}, {"retry", jsonText(s.Retry), jsonText(other.Retry)},
		{"timeout", s.Timeout, other.Timeout}, {"on_error", or(s.OnError, engine.OnErrorStopPath), or(other.OnError, engine.OnErrorStopPath)},
		{"approval", s.Approval, other.Approval}, {"output_schema", jsonText(s.OutputSchema), jsonText(other.OutputSchema)},
		{"bypass", s.Bypass, other.Bypass}, {"inactive", s.Inactive, other.Inactive},
	} {
		if p.has == p.was { // most properties of most steps: not a text is parsed
			continue
		}
		p.has, p.was = decoded(p.has), decoded(p.was)
		d := difference{key: p.name + " of " + s.ID, step: s.ID, nodes: nodes}
		d.set = p.name == "function" || notZero(p.has) && p.name != "input" && p.name != "name" && p.name != "join" && !(p.name == "on_error" && s.OnError == "")
		d.compare("", p.was, p.has)
		switch {
		case weight([]difference{d}) == 0:
			continue
		case p.name == "input":
			d.what = d.changed("its input")
		case p.name == "function":
			d.edits, d.other = nil, 1 // no text of a node is a function
			fallthrough
		default:
			d.what = fmt.Sprintf("its %s is %s, and the file means %s", p.name, shown(p.has), shown(p.was))
		}
		out = append(out, d)
	}
	return out
}

// compare adds the values in which what the file gives and what the workflow has differ.
func (d *difference) compare(at string, was, is any) {
	if a, ok := was.(string); ok {
		if b, ok := is.(string); ok && a == b {
			return
		}
	}
	was, is = canonical(was), canonical(is)
	switch a := was.(type) {
	case map[string]any:
		b, ok := is.(map[string]any)
		if !ok {
			d.other++
			return
		}
		for _, key := range sorted(a) {
			if value, there := b[key]; there {
				d.compare(at+"."+key, a[key], value)
			} else {
				d.other++
			}
		}
		for _, key := range sorted(b) {
			if _, there := a[key]; !there {
				d.other++
				d.added = append(d.added, added{at + "." + key, b[key]})
			}
		}
	case []any:
		b, ok := is.([]any)
		if !ok || len(a) != len(b) {
			d.other++
			return
		}
		for i := range a {
			d.compare(fmt.Sprintf("%s[%d]", at, i), a[i], b[i])
		}
	default:
		if reflect.DeepEqual(was, is) {
			return
		}
		x, y := scalarOf(was), scalarOf(is)
		if x.kind == 0 || x.kind != y.kind {
			d.other++
			return
		}
		d.edits = append(d.edits, edit{at, x, y})
	}
}

// changed says in words where two values differ.
func (d *difference) changed(what string) string {
	if len(d.edits) == 0 {
		return what + " has fields that the file does not give, or lacks some that it gives"
	}
	e := d.edits[0]
	text := fmt.Sprintf("%s%s was changed from %s to %s, and no field of the file gives that", what, e.at, shown(e.was.text), shown(e.is.text))
	if more := len(d.edits) + d.other - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

func scalarOf(v any) scalar {
	switch v := v.(type) {
	case string:
		return scalar{plainText, v}
	case float64, bool:
		text, _ := json.Marshal(v)
		return scalar{otherScalar, string(text)}
	}
	return scalar{}
}

// canonical is a value of an input in one of its spellings: a text of parts, and one that is
// never scanned, are the text they give.
func canonical(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		if text, ok := v.(string); ok {
			return omittedDefault.ReplaceAllString(text, "$1$3")
		}
		return v
	}
	if text, ok := m["@literal"].(string); ok && len(m) == 1 {
		return text
	}
	parts, ok := m["@text"].([]any)
	join, _ := m["@join"].(string)
	if !ok || len(m) > 2 || len(m) == 2 && m["@join"] == nil {
		return v
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		text, ok := canonical(p).(string)
		if !ok {
			return v
		}
		texts[i] = text
	}
	return strings.Join(texts, join)
}

// omittedDefault is a reference with a default that compilers give and people leave out: an empty one,
// or the variable in its own spelling.
var omittedDefault = regexp.MustCompile(`(@\{[^}]*\}[^\s|]*)\|(\{\{[^{}]*\}\}|($|\s))`)

// shown is a value as a sentence quotes it.
func shown(v any) string {
	text, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprint(v)
		}
		text = string(b)
		return shortened(text)
	}
	return `"` + shortened(text) + `"`
}

func shortened(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return text
}

// problemsOf makes one sentence of each difference.
func problemsOf(list []difference, drawn Drawing) []engine.Problem {
	var out []engine.Problem
	for _, d := range list {
		message := d.what
		if why := drawn.Why[d.step]; why != "" && d.path == "" {
			message = "it was added, and " + why
			d.what = message
		}
		if d.path == "" {
			message = fmt.Sprintf("step %q: %s", d.step, d.what)
		}
		out = append(out, engine.Problem{Level: "error", Step: d.step, Path: d.path, Code: Code, Message: message})
	}
	return out
}

// pathDifferences compares what leads where, under which condition and as which tool. Two
// paths that say the same are one.
func pathDifferences(has, compiled *engine.Workflow) []difference {
	mine, theirs := pathTexts(has), pathTexts(compiled)
	for text := range mine {
		if theirs[text] != nil {
			delete(mine, text)
			delete(theirs, text)
		}
	}
	var out []difference
	used := map[*engine.Path]bool{}
	between := map[[3]string][]*engine.Path{} // paths of the file by kind and ends
	for _, text := range sorted(theirs) {
		q := theirs[text]
		between[endsOf(q)] = append(between[endsOf(q)], q)
	}
	for _, text := range sorted(mine) {
		p := mine[text]
		if drawnAs(p, compiled) {
			continue
		}
		name := fmt.Sprintf("the %s path from %q to %q", p.Kind, p.Source, p.Target)
		d := difference{key: "new " + name, step: p.Source, path: p.ID, nodes: []string{p.Source, p.Target}, what: name + " has no place in the file", other: 1}
		if q := likeliest(p, between[endsOf(p)], used); q != nil {
			used[q] = true
			d.other = 0
			d.compare(".condition", conditionOf(q), conditionOf(p))
			d.compare(".name", q.Name, p.Name)
			d.compare(".description", q.Description, p.Description)
			d.compare(".parameters", q.Extra["parameters"], p.Extra["parameters"])
			d.compare(".operator", q.Operator, p.Operator)
			d.compare(".back", q.Back, p.Back)
			d.what = d.changed(name)
			if weight([]difference{d}) == 0 {
				continue
			}
		}
		out = append(out, d)
	}
	for _, text := range sorted(theirs) {
		if p := theirs[text]; !used[p] {
			out = append(out, difference{key: fmt.Sprint("gone path ", p.Kind, p.Source, " ", p.Target), step: p.Source, path: p.ID, other: 1,
				what: fmt.Sprintf("the %s path from %q to %q is in the file, and the workflow no longer has it", p.Kind, p.Source, p.Target)})
		}
	}
	return out
}

// drawnAs reports whether a path that was added is an edge of the file: the compiler may lead it
// to a step in front of its target, and name it.
func drawnAs(p *engine.Path, compiled *engine.Workflow) bool {
	if p.Extra[EdgeText] != nil || p.Extra[Generated] != nil {
		return false
	}
	for i := range compiled.Paths {
		q := &compiled.Paths[i]
		text, ok := q.Extra[EdgeText].(string)
		if !ok || q.Kind != p.Kind || q.Source != p.Source && gjson.Get(text, "source").String() != p.Source || q.Target != p.Target && gjson.Get(text, "target").String() != p.Target {
			continue
		}
		var d difference
		d.compare("", conditionOf(q), conditionOf(p))
		if p.Name != "" {
			d.compare("", q.Name, p.Name)
		}
		if weight([]difference{d}) == 0 {
			return true
		}
	}
	return false
}

func endsOf(p *engine.Path) [3]string { return [3]string{string(p.Kind), p.Source, p.Target} }

// likeliest is the path of the file, of those with the same ends, that one of the workflow has
// been edited from.
func likeliest(p *engine.Path, same []*engine.Path, used map[*engine.Path]bool) *engine.Path {
	var found *engine.Path
	for _, q := range same {
		if !used[q] && (found == nil || q.ID == p.ID) {
			found = q
		}
	}
	return found
}

// conditionOf is a path's condition; that something be true is the same as that thing.
func conditionOf(p *engine.Path) any {
	v := p.Condition
	if text, ok := v.(string); ok {
		v = value(text)
	}
	if m, ok := v.(map[string]any); ok && len(m) == 1 && m["true"] != nil {
		v = m["true"]
	}
	return v
}

// notZero reports whether a property has another value than a step has that does not set it.
func notZero(v any) bool {
	switch v := v.(type) {
	case string:
		return v != ""
	case jsonText:
		return v != ""
	}
	return v != false
}

// variantOf returns the function of the other step when that is one system's variant of name, as
// agent.flowise is of agent: a step added by hand calls the standard one.
func variantOf(name, other string) string {
	if strings.HasPrefix(other, name+".") {
		return other
	}
	return name
}
