package conditions

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// MaxDepth is how deep lists may be nested in a condition, texts that hold JSON
// counted too.
const MaxDepth = 64

// A Condition is a compiled condition of a path. It is immutable and safe for
// concurrent use. The zero Condition is not a condition: it is open.
type Condition struct {
	root *node
	// leaves counts the clauses.
	leaves int
	err    error
}

// A node is a group of conditions or one clause.
type node struct {
	any      bool
	children []*node
	clause   *clause
}

// A clause compares the truth of one operand with what is wanted.
type clause struct {
	path    string
	operand json.RawMessage
	// text is the operand where it is text, to be resolved.
	text   string
	isText bool
	want   bool
	// when is the comparison, nil where the operand is one value.
	when *comparison
}

// Err says why the condition cannot be read and so is closed for good, nil when
// it can.
func (c Condition) Err() error { return c.err }

// Operands lists the operands that are text, in order, for tools that check
// workflows; of a comparison its references.
func (c Condition) Operands() []string {
	var texts []string
	c.root.each(func(leaf *clause) {
		switch {
		case leaf.when != nil:
			for _, o := range leaf.when.operands {
				texts = append(texts, o.written)
			}
		case leaf.isText:
			texts = append(texts, leaf.text)
		}
	})
	return texts
}

func (n *node) each(visit func(*clause)) {
	if n == nil {
		return
	}
	if n.clause != nil {
		visit(n.clause)
	}
	for _, child := range n.children {
		child.each(visit)
	}
}

// Parse reads a condition as it is stored on a path: nil, a text, a native list
// or any other value that JSON can express. operator is the path's, "" for AND.
// It never fails: what cannot be read becomes a condition that is closed and
// says why in Err.
func Parse(stored any, operator string) Condition {
	or, err := isOr(operator)
	if err != nil {
		return Condition{err: err}
	}
	r := reader{any: or}
	root, err := r.stored(stored)
	if err != nil {
		return Condition{err: err}
	}
	return Condition{root: root, leaves: r.leaves}
}

// A Resolver gives the values of operands.
type Resolver interface {
	// Resolve gives the value of an operand's text as JSON text. A text without
	// references is its own value, as a JSON string. ok is false when the value
	// is missing. An err closes the whole path.
	Resolve(operand string) (value json.RawMessage, ok bool, err error)
}

// ResolverFunc makes a function a [Resolver].
type ResolverFunc func(operand string) (value json.RawMessage, ok bool, err error)

// Resolve calls the function.
func (f ResolverFunc) Resolve(operand string) (json.RawMessage, bool, error) { return f(operand) }

// A Verdict is the decision on a path and its explanation. As JSON it is {"result", "clauses",
// "error"}: clauses is always a list, error is text and empty if there is none.
type Verdict struct {
	// Open says whether the path is taken.
	Open bool
	// Clauses lists every clause in the order it is written, whether or not it
	// was needed to decide. Empty when the condition cannot be read.
	Clauses []Clause
	// Err says why the whole path is closed: the condition's own Err, or what
	// resolving an operand failed with, wrapped.
	Err error
}

// A Clause is one operand and what became of it.
type Clause struct {
	// Path is the position in the condition: "" for a bare text, "true" or "false" in an object,
	// "[0]" for an element of a list, "[0].true", "[1][0].false".
	Path string `json:"path"`
	// Operand is the operand as written: a JSON string where it is text.
	Operand json.RawMessage `json:"operand"`
	// Value is what it came to, absent when it is missing; of a comparison true or
	// false, absent when a reference without a value kept it from being decided.
	Value json.RawMessage `json:"value,omitempty"`
	// Result says whether the clause holds: for "false" that the value is false.
	Result bool `json:"result"`
	// Values are the references of a comparison, in order.
	Values []Value `json:"values,omitempty"`
	// Parts are what "and" and "or" join in a comparison, in order; absent where
	// it has neither.
	Parts []Part `json:"parts,omitempty"`
}

// A Value is what a reference of a comparison came to.
type Value struct {
	// Reference is the reference with its default, as written.
	Reference string `json:"reference"`
	// Value is absent when the reference has neither value nor default.
	Value json.RawMessage `json:"value,omitempty"`
}

// A Part is one of the comparisons that "and" and "or" join.
type Part struct {
	Text   string `json:"text"`
	Result bool   `json:"result"`
	// Missing is true when a reference without a value kept it from being decided.
	Missing bool `json:"missing,omitempty"`
	// Skipped is true when the parts before it had decided.
	Skipped bool `json:"skipped,omitempty"`
	// Error is why it has no value.
	Error string `json:"error,omitempty"`
}

// String is the clause as one line for people: its position, the operand, its value and the
// result. A comparison adds its references and parts, each on a separate line.
func (c Clause) String() string {
	var b strings.Builder
	value := "missing"
	if len(c.Value) > 0 {
		value = shorten(string(c.Value))
	}
	if c.Path != "" {
		b.WriteString(c.Path + " ")
	}
	fmt.Fprintf(&b, "%s = %s: %t", c.Operand, value, c.Result)
	for _, v := range c.Values {
		value := "no value"
		if len(v.Value) > 0 {
			value = shorten(string(v.Value))
		}
		fmt.Fprintf(&b, "\n  %s = %s", v.Reference, value)
	}
	for _, p := range c.Parts {
		fmt.Fprintf(&b, "\n  %s: %s", p.Text, p.said())
	}
	return b.String()
}

func (p Part) said() string {
	switch {
	case p.Skipped:
		return "not needed"
	case p.Error != "":
		return p.Error
	case p.Missing:
		return "false, a value is missing"
	}
	return strconv.FormatBool(p.Result)
}

// shorten cuts what a line for people shows of a value.
func shorten(text string) string {
	const most = 120
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// MarshalJSON implements [json.Marshaler].
func (v Verdict) MarshalJSON() ([]byte, error) {
	out := struct {
		Result  bool     `json:"result"`
		Clauses []Clause `json:"clauses"`
		Error   string   `json:"error"`
	}{Result: v.Open, Clauses: v.Clauses}
	if out.Clauses == nil {
		out.Clauses = []Clause{}
	}
	if v.Err != nil {
		out.Error = v.Err.Error()
	}
	return json.Marshal(out)
}

// Evaluate decides. It asks r for each text operand in order, also when an
// earlier clause has decided or failed.
func (c Condition) Evaluate(r Resolver) Verdict {
	switch {
	case c.err != nil:
		return Verdict{Err: c.err}
	case c.root == nil:
		return Verdict{Open: true}
	}
	e := evaluation{resolver: r, clauses: make([]Clause, 0, c.leaves)}
	open := e.node(c.root)
	return Verdict{Open: open && e.err == nil, Clauses: e.clauses, Err: e.err}
}

type evaluation struct {
	resolver Resolver
	clauses  []Clause
	err      error
}

func (e *evaluation) node(n *node) bool {
	if n.clause != nil {
		return e.leaf(n.clause)
	}
	held := 0
	for _, child := range n.children {
		if e.node(child) {
			held++
		}
	}
	if n.any {
		return held > 0
	}
	return held == len(n.children)
}

func (e *evaluation) leaf(c *clause) bool {
	out := Clause{Path: c.path, Operand: c.operand}
	truth, err := e.truth(c, &out)
	if err != nil && e.err == nil {
		e.err = at(c.path, err)
	}
	out.Result = err == nil && truth == c.want
	e.clauses = append(e.clauses, out)
	return out.Result
}

// truth judges an operand and notes its value.
func (e *evaluation) truth(c *clause, out *Clause) (bool, error) {
	if c.when != nil {
		return c.when.evaluate(e.resolver, out)
	}
	value, ok, err := e.value(c)
	if !ok || err != nil {
		value = nil
	}
	out.Value = value
	return Truth(value), err
}

func (e *evaluation) value(c *clause) (json.RawMessage, bool, error) {
	if !c.isText {
		return c.operand, true, nil
	}
	return e.resolver.Resolve(c.text)
}
