// Package talk is what a function tells the engine beside its output. It is the part of
// engine.Call with effects, behind an interface, so that a function's test can listen.
package talk

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine"
)

// A Talk takes what is said; *engine.Call is one.
type Talk interface {
	Say(text string)
	Hear(text string)
	Token(text string)
	Speak(text string)
	Meter(engine.Usage)
	Set(name string, value json.RawMessage)
	Append(name string, first, values []json.RawMessage)
	Messages(ctx context.Context, n int) ([]engine.Message, error)
}

type key struct{}

// Of returns the call of ctx, or what With put over it.
func Of(ctx context.Context) Talk {
	if t, ok := ctx.Value(key{}).(Talk); ok {
		return t
	}
	return engine.CallOf(ctx)
}

// With returns a context in which Of gives t.
func With(ctx context.Context, t Talk) context.Context { return context.WithValue(ctx, key{}, t) }

// A Recorder is a Talk for tests: it gives Chat as the session's messages and keeps the rest.
type Recorder struct {
	Chat   []engine.Message
	Said   []string
	Heard  []string
	Tokens []string
	Spoken []string
	Usage  []engine.Usage
	Asked  []int // the n of each call of Messages
	Named  map[string]json.RawMessage
}

// Say keeps text.
func (r *Recorder) Say(text string) { r.Said = append(r.Said, text) }

// Hear keeps text.
func (r *Recorder) Hear(text string) { r.Heard = append(r.Heard, text) }

// Token keeps text.
func (r *Recorder) Token(text string) { r.Tokens = append(r.Tokens, text) }

// Speak keeps text.
func (r *Recorder) Speak(text string) { r.Spoken = append(r.Spoken, text) }

// Meter keeps u.
func (r *Recorder) Meter(u engine.Usage) { r.Usage = append(r.Usage, u) }

// Messages gives the newest n of Chat; all for n <= 0.
func (r *Recorder) Messages(_ context.Context, n int) ([]engine.Message, error) {
	r.Asked = append(r.Asked, n)
	if n <= 0 || n > len(r.Chat) {
		return r.Chat, nil
	}
	return r.Chat[len(r.Chat)-n:], nil
}

// Set keeps a named value.
func (r *Recorder) Set(name string, value json.RawMessage) {
	if r.Named == nil {
		r.Named = map[string]json.RawMessage{}
	}
	r.Named[name] = value
}

// Append adds to a named value, as the engine does. A test that begins with one puts it into
// Named.
func (r *Recorder) Append(name string, first, values []json.RawMessage) {
	var list []json.RawMessage
	if json.Unmarshal(r.Named[name], &list) != nil || len(list) == 0 {
		list = first
	}
	if list = append(list[:len(list):len(list)], values...); len(list) == 0 {
		return
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic("talk: " + err.Error())
	}
	r.Set(name, text)
}
