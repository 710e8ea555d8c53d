package references

import (
	"encoding/json"
	"fmt"
)

// Outputs is what references resolve against: the kept outputs of one session.
type Outputs interface {
	// Output returns one kept output of step as JSON text. index counts from
	// 0 at the oldest kept; negative from the newest (-1 is the newest). ok is
	// false when the step has no such output. err is a failure to read, never
	// "missing". The text must be valid JSON; it is not modified.
	Output(step string, index int) (value json.RawMessage, ok bool, err error)
}

// A Scope is one session as references see it.
type Scope struct {
	// Session is the id to which @{SESSION_ID} alone resolves and which may be written in place
	// of the token.
	Session string
	// Outputs may be nil: then every step is without output.
	Outputs Outputs
	// Limit bounds the total bytes of the values in one Resolve; 0 is no limit. Above it the
	// error is a [*TooLargeError] and reading stops: hundreds of references to one large output
	// would otherwise take hundreds of times its size.
	Limit int
}

// A TooLargeError says that an input grew beyond its bound while it was built.
type TooLargeError struct {
	// Reference is the one that passed the bound, Limit the bound in bytes.
	Reference string
	Limit     int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the input has more than %d bytes with its references resolved, at reference %s", e.Limit, e.Reference)
}

// A Result is what a text, an input or a program came to.
type Result struct {
	// Resolved is true when every reference gave a value or a default.
	Resolved bool
	// Value is JSON text, nil unless Resolved. It must not be modified.
	Value json.RawMessage
	// Members are the top-level members of an object from ParseInput, cut from Value without
	// reading it again; nil unless Resolved. The slice is the caller's, the values must not be
	// modified.
	Members []Member
	// Missing lists what had neither value nor default, each reference once,
	// with all references of a chain that failed. Empty when Resolved.
	Missing []Missing
	// Reads lists the outputs whose values were used, each reference once.
	// Empty unless Resolved.
	Reads []Read
}

// Missing is a reference without a value.
type Missing struct {
	// Reference is the reference as written, without its default.
	Reference string `json:"reference"`
	// Step is the step it names.
	Step string `json:"step,omitempty"`
	// Reason says in words what was not there.
	Reason string `json:"reason"`
}

// A Read is an output that a reference used, for lineage.
type Read struct {
	// Reference is the reference as written, without its default.
	Reference string `json:"reference"`
	// Step is the step it names.
	Step string `json:"step"`
	// Index is the index as written, -1 if there is none.
	Index int `json:"index"`
}

// A ForeignSessionError reports a reference to another session. It fails the step, because no
// later output can resolve it.
type ForeignSessionError struct {
	// Reference is the reference as written, Session the id in it.
	Reference, Session string
}

func (e *ForeignSessionError) Error() string {
	return fmt.Sprintf("reference %s names session %q: a reference reads its own session only, write @{%s}",
		e.Reference, e.Session, Token)
}

// Resolve gives the value of the text. The error is a [*ForeignSessionError] or
// what reading an output failed with; a missing value is not an error.
func (t Template) Resolve(scope Scope) (Result, error) {
	if !t.HasReference() {
		if t.plain == nil {
			return Result{Resolved: true, Value: json.RawMessage(`""`)}, nil
		}
		return Result{Resolved: true, Value: t.plain}, nil
	}
	r := resolution{scope: scope}
	if err := r.refuseForeign(t.foreign); err != nil {
		return Result{}, err
	}
	if t.lone != nil {
		return r.result(r.typed(t.lone))
	}
	return r.result(r.appendTemplate(nil, &t))
}

// A resolution collects what one call of Resolve reads and misses.
type resolution struct {
	scope   Scope
	missing []Missing
	reads   []Read
	spent   int // bytes of the values so far
	missed  distinct
	read    distinct
	// latest is the output read last: the references of an input often read
	// several fields of one.
	latest struct {
		step  string
		index int
		value json.RawMessage
	}
	err error
}

func (r *resolution) result(value json.RawMessage) (Result, error) {
	switch {
	case r.err != nil:
		return Result{}, r.err
	case len(r.missing) > 0:
		return Result{Missing: r.missing}, nil
	}
	return Result{Resolved: true, Value: value, Reads: r.reads}, nil
}

func (r *resolution) refuseForeign(named []foreign) error {
	for _, f := range named {
		if f.session != r.scope.Session {
			return &ForeignSessionError{Reference: f.text, Session: f.session}
		}
	}
	return nil
}

// typed gives the value of a lone chain with its type, nil when it is missing.
func (r *resolution) typed(c *chain) json.RawMessage {
	value, found := r.value(c, true)
	if !found {
		return nil
	}
	if value == nil {
		return wrapText(c.fallback)
	}
	return value
}

// appendTemplate appends a template's text as a JSON string. What it appends is
// meaningless once something is missing.
func (r *resolution) appendTemplate(to []byte, t *Template) []byte {
	to = append(to, '"')
	for i := range t.pieces {
		to = append(to, t.pieces[i].literal...)
		if c := t.pieces[i].chain; c != nil {
			to = r.appendChainText(to, c)
		}
	}
	return append(to, '"')
}

func (r *resolution) appendChainText(to []byte, c *chain) []byte {
	value, found := r.value(c, false)
	switch {
	case !found:
		return to
	case value == nil:
		return append(to, c.fallback...)
	}
	return appendText(to, value)
}

// value gives the first value of a chain, or nil for its plain default. A null
// at the end of the chain is a value where null counts as one. When nothing is
// found the references are listed as missing.
func (r *resolution) value(c *chain, nullCounts bool) (value json.RawMessage, found bool) {
	if r.err != nil {
		return nil, false
	}
	var few [4]outcome
	failed := few[:0]
	for i := range c.refs {
		ref := &c.refs[i]
		value, out := r.lookup(ref)
		if r.err != nil {
			return nil, false
		}
		if out.kind == malformed {
			failed = append(failed, out)
			r.miss(c.refs[:i+1], failed)
			return nil, false
		}
		last := i == len(c.refs)-1 && !c.hasDefault
		if out.kind == present && isNull(value) && !(nullCounts && last) {
			out = outcome{kind: isNullValue}
		}
		if out.kind == present {
			if r.spent += len(value); r.scope.Limit > 0 && r.spent > r.scope.Limit {
				r.err = &TooLargeError{Reference: ref.text, Limit: r.scope.Limit}
				return nil, false
			}
			r.use(ref)
			return value, true
		}
		failed = append(failed, out)
	}
	if c.hasDefault {
		return nil, true
	}
	r.miss(c.refs, failed)
	return nil, false
}

// lookup reads one reference.
func (r *resolution) lookup(ref *reference) (json.RawMessage, outcome) {
	switch {
	case ref.malformed != "":
		return nil, outcome{kind: malformed}
	case ref.step == "":
		return quote(r.scope.Session), outcome{}
	}
	output, ok := r.output(ref)
	if !ok {
		return nil, outcome{kind: noOutput}
	}
	return walk(output, ref.path)
}

func (r *resolution) output(ref *reference) (json.RawMessage, bool) {
	if r.scope.Outputs == nil {
		return nil, false
	}
	if r.latest.value != nil && r.latest.step == ref.step && r.latest.index == ref.index {
		return r.latest.value, true
	}
	value, ok, err := r.scope.Outputs.Output(ref.step, ref.index)
	if err != nil {
		r.err = fmt.Errorf("resolve %s: %w", ref.text, err)
		return nil, false
	}
	value = trim(value)
	if !ok || len(value) == 0 {
		return nil, false
	}
	r.latest.step, r.latest.index, r.latest.value = ref.step, ref.index, value
	return value, true
}

func (r *resolution) use(ref *reference) {
	if ref.step == "" || !r.read.add(ref.text) {
		return
	}
	r.reads = append(r.reads, Read{Reference: ref.text, Step: ref.step, Index: ref.index})
}

func (r *resolution) miss(refs []reference, failed []outcome) {
	for i := range refs {
		ref := &refs[i]
		if r.missed.add(ref.text) {
			r.missing = append(r.missing, Missing{Reference: ref.text, Step: ref.step, Reason: failed[i].reason(ref)})
		}
	}
}
