package function

import (
	"context"
	"encoding/json"
)

// A Recorder is a Sink for tests of functions: it gives Chat as the session's messages and
// keeps everything else. The zero value is ready for use; see WithSink.
type Recorder struct {
	Chat   []Message // what Messages reads
	Said   []string  // of the assistant
	Heard  []string  // of the person
	Tokens []string  // with the internal audience
	Spoken []string  // tokens for the person
	Usage  []Usage
	Asked  []int // the n of each call of Messages
	Named  map[string]json.RawMessage
}

// WithSink returns a context in which the call of ctx, or an empty one, has the sink.
func WithSink(ctx context.Context, sink Sink) context.Context {
	c := *CallOf(ctx)
	c.Sink = sink
	return WithCall(ctx, &c)
}

// Say keeps a message by its role.
func (r *Recorder) Say(role, text string) {
	if role == "user" {
		r.Heard = append(r.Heard, text)
		return
	}
	r.Said = append(r.Said, text)
}

// Token keeps a fragment by its audience.
func (r *Recorder) Token(audience, text string) {
	if audience == AudiencePerson {
		r.Spoken = append(r.Spoken, text)
		return
	}
	r.Tokens = append(r.Tokens, text)
}

// Meter keeps u.
func (r *Recorder) Meter(u Usage) { r.Usage = append(r.Usage, u) }

// Messages returns the newest n of Chat, all of it for n <= 0.
func (r *Recorder) Messages(_ context.Context, n int) ([]Message, error) {
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

// Append adds to the list under a name, as the engine does. A test that begins with a list puts
// it into Named.
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
		panic("function: named values: " + err.Error())
	}
	r.Set(name, text)
}
