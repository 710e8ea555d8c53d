package function

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/near"
)

// A Function is what a step calls: a JSON object in, a JSON value out. A function must be safe
// for concurrent use. It may be called twice for one checkpoint, because the engine may die
// between the call and the checkpoint, so its comment should say why a repeated call is
// harmless.
//
// Besides returning an output, a call may return an *AwaitInput (the session pauses for an
// answer) or an error (see IsTransient for what is retried), and report through its Call.
type Function interface {
	Call(ctx context.Context, input json.RawMessage) (json.RawMessage, error)
}

// FunctionFunc makes a plain func a Function.
type FunctionFunc func(ctx context.Context, input json.RawMessage) (json.RawMessage, error)

// Call calls f.
func (f FunctionFunc) Call(ctx context.Context, input json.RawMessage) (json.RawMessage, error) {
	return f(ctx, input)
}

// A Spec describes a function to the engine and to people.
type Spec struct {
	Name        string   `json:"name"`
	Aliases     []string `json:"aliases,omitempty"`
	Description string   `json:"description,omitempty"`
	// Effects: the call uses or changes something outside the session (a model, HTTP, a shell).
	// Everything before it is durable when it starts. A function without effects is pure: it
	// runs inside the session's wave and shares its checkpoint with its neighbours.
	Effects bool `json:"effects"`
	// Limit is how many calls one engine makes at once; 0 is the engine's default. Work
	// above the limit queues, it is never refused.
	Limit int `json:"limit,omitempty"`
	// Timeout limits one attempt if the step sets no timeout; 0 is the engine's default.
	Timeout time.Duration `json:"-"`
	// Retry is how failures that pass are tried again where the step has no retry of its own.
	// The zero value is one attempt. A model that is busy for a second must not end a
	// conversation, so functions that ask one have a policy.
	Retry RetryPolicy `json:"-"`
	// Program names the input fields that hold program text. References in them are never
	// pasted; they are bound: the field keeps an identifier and Call.Bindings its value.
	Program []string `json:"program,omitempty"`
	// Secrets names the input fields in which the function puts secrets where the stored step
	// names them; see SecretNames.
	Secrets []string `json:"secrets,omitempty"`
	// Raw names the input fields that the function gets unresolved, with their references:
	// conditions that the engine evaluates later (see RunBody.While).
	Raw []string `json:"raw,omitempty"`
	// Arguments names the input field that the arguments of a tool call are merged into;
	// "" merges them into the input itself.
	Arguments string `json:"arguments,omitempty"`
	// Parameters is the JSON Schema of a tool call's arguments if the TOOL path has none; nil
	// derives it from Input.
	Parameters json.RawMessage `json:"-"`
	// Rounds: the function runs steps in rounds (RunBody, RunSessions) and the store keeps the
	// result of each, which an archive of the session takes along.
	Rounds bool `json:"-"`
	// Disabled says why the function is not allowed here ("shell is off, start with
	// --allow-shell"); calls fail with it. Empty: allowed.
	Disabled string `json:"disabled,omitempty"`
	// Check checks a step's input when its workflow is loaded or validated; nil checks only
	// against Input. References in the input are not resolved.
	Check func(input json.RawMessage) []Problem `json:"-"`

	// Needs is what validation asks of an input besides its schema.
	Needs Needs `json:"-"`

	Input  *jsonschema.Schema `json:"input_schema,omitempty"`
	Output *jsonschema.Schema `json:"output_schema,omitempty"`
	// Examples are inputs that show the function, run by the tests of its page.
	Examples []Example `json:"examples,omitempty"`

	Function Function `json:"-"`
}

// Needs is what validation asks of an input.
type Needs struct {
	// OneOf are fields of which one must be there: without it the input says nothing.
	OneOf []string
	// Own: fields that Spec.Input does not name are kept in the output, or of use in another way.
	// Otherwise validation warns of such a field, which nothing reads.
	Own bool
	// Values: such fields are the values that the function is for, so that each name is as good as
	// another. Where Own is set without it, validation warns of a field that only other functions take
	// and that nothing in the workflow reads.
	Values bool
	// Follows: a step with steps before it needs none of them. They have spoken, and the person
	// answers to that.
	Follows bool
}

// An Example is an input of a function and what it gives, for its page in docs/functions.
type Example struct {
	Title  string          `json:"title"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output,omitempty"` // nil where it depends on the world
}

// A Registry holds the functions steps may call, by name and alias. It is filled at
// start, before the engine runs, and only read after that.
type Registry struct {
	specs  map[string]*Spec
	alias  map[string]string
	prefix []prefixed // longest first
}

type prefixed struct {
	prefix string
	spec   *Spec
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{specs: map[string]*Spec{}, alias: map[string]string{}}
}

// Add registers a function. A name ending in ".*" serves every name with that prefix
// (remote functions). A clash of names panics: it is a fault of the program, seen at start.
func (r *Registry) Add(spec Spec) {
	if spec.Name == "" || spec.Function == nil {
		panic(fmt.Sprintf("engine: function %q has no name or no code", spec.Name))
	}
	if prefix, ok := strings.CutSuffix(spec.Name, "*"); ok {
		r.prefix = append(r.prefix, prefixed{prefix, &spec})
		sort.SliceStable(r.prefix, func(i, j int) bool { return len(r.prefix[i].prefix) > len(r.prefix[j].prefix) })
		return
	}
	for _, name := range append([]string{spec.Name}, spec.Aliases...) {
		if r.specs[name] != nil || r.alias[name] != "" {
			panic(fmt.Sprintf("engine: two functions are called %q", name))
		}
	}
	r.specs[spec.Name] = &spec
	for _, a := range spec.Aliases {
		r.alias[a] = spec.Name
	}
}

// Register adds a plain Go function: the input is decoded into In, the output encoded,
// and both schemas are derived from the types. configure, if given, completes the Spec.
func Register[In, Out any](r *Registry, name string, f func(context.Context, In) (Out, error), configure ...func(*Spec)) {
	spec := Spec{Name: name, Function: typed(f)}
	if s, err := jsonschema.For[In](nil); err == nil {
		s.AdditionalProperties = nil // unknown fields of an input are kept, never refused
		spec.Input = s
	}
	if s, err := jsonschema.For[Out](nil); err == nil {
		spec.Output = s
	}
	for _, c := range configure {
		c(&spec)
	}
	r.Add(spec)
}

func typed[In, Out any](f func(context.Context, In) (Out, error)) Function {
	return FunctionFunc(func(ctx context.Context, input json.RawMessage) (json.RawMessage, error) {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return nil, &CallError{Kind: KindBadInput, Message: "input: " + err.Error(), Err: err}
		}
		out, err := f(ctx, in)
		if err != nil {
			return nil, err
		}
		if raw, ok := any(out).(json.RawMessage); ok {
			return raw, nil
		}
		return jsontext.Marshal(out)
	})
}

// Find returns the function of a name or alias, or nil. The seed's rule "utils. may be
// left out" holds for every function.
func (r *Registry) Find(name string) *Spec {
	if s := r.specs[name]; s != nil {
		return s
	}
	if full, ok := r.alias[name]; ok {
		return r.specs[full]
	}
	if s := r.specs["utils."+name]; s != nil {
		return s
	}
	for _, p := range r.prefix {
		if strings.HasPrefix(name, p.prefix) {
			return p.spec
		}
	}
	return nil
}

// LeavesRounds reports whether the store may keep results of rounds of a function's steps. That is
// so for a function that the registry does not know.
func (r *Registry) LeavesRounds(name string) bool {
	spec := r.Find(name)
	return spec == nil || spec.Rounds
}

// Near returns up to three known names that are similar to name, for error messages.
func (r *Registry) Near(name string) []string {
	known := make([]string, 0, len(r.specs)+len(r.alias))
	for n := range r.specs {
		known = append(known, n)
	}
	for n := range r.alias {
		known = append(known, n)
	}
	return near.Names(name, known, 3)
}

// Specs returns all functions by name, prefixes last.
func (r *Registry) Specs() []*Spec {
	out := make([]*Spec, 0, len(r.specs))
	for _, s := range r.specs {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	for _, p := range r.prefix {
		out = append(out, p.spec)
	}
	return out
}
