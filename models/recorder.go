package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A Recorder writes a script file from real model calls: the replies of each step in the order
// of the calls, including failures, so that playing the file repeats the same sequence.
// Replies to calls without a step are stored under "any". It may wrap several models at once.
//
// A call repeated with the same key after a success is recorded once, as it is played once; a
// cancelled call is not recorded. The file is replaced as a whole after each call, so it is
// always complete. Provider keys are never in it, because replies do not contain them.
type Recorder struct {
	path string

	mu      sync.Mutex
	entries []*entry // in the order of the calls
	failed  error    // of the last write
}

// An entry is one call in the recording, empty until it has its reply.
type entry struct {
	step, key string
	reply     json.RawMessage
	done      bool // with success
}

// NewRecorder returns a Recorder that writes to path. An existing file is replaced at the
// first reply.
func NewRecorder(path string) *Recorder { return &Recorder{path: path} }

// Wrap returns m with every call recorded.
func (r *Recorder) Wrap(m Model) Model {
	return Func(func(ctx context.Context, req Request) (Response, error) {
		e := r.begin(req)
		resp, err := m.Generate(ctx, req)
		r.end(e, resp, err)
		return resp, err
	})
}

// Flush writes the recording if the last write failed, and returns the error. A call never
// fails because of its recording, since the reply may have cost money.
func (r *Recorder) Flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed != nil {
		r.failed = r.write()
	}
	return r.failed
}

func (r *Recorder) begin(req Request) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if e.done && req.Key != "" && e.key == req.Key {
			return e
		}
	}
	e := &entry{step: req.Step, key: req.Key}
	r.entries = append(r.entries, e)
	return e
}

func (r *Recorder) end(e *entry, resp Response, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case e.done && err != nil:
		return // the earlier success stands
	case err != nil && errors.Is(err, context.Canceled):
		r.entries = slices.DeleteFunc(r.entries, func(o *entry) bool { return o == e })
		return
	case err != nil:
		e.reply = failureReply(err)
	default:
		e.reply, e.done = successReply(resp), true
	}
	r.failed = r.write()
}

// write replaces the file by renaming, so that no reader ever sees a partial file, not even
// after a crash.
func (r *Recorder) write() error {
	text, err := r.encode()
	if err != nil {
		return fmt.Errorf("recording %s: %w", r.path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(r.path), "."+filepath.Base(r.path)+".*")
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), r.path)
	}
	if err != nil {
		return fmt.Errorf("recording: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}

func (r *Recorder) encode() ([]byte, error) {
	var file struct {
		Steps map[string][]json.RawMessage `json:"steps"`
		Any   []json.RawMessage            `json:"any,omitempty"`
	}
	file.Steps = map[string][]json.RawMessage{}
	for _, e := range r.entries {
		switch {
		case e.reply == nil: // still in progress
		case e.step == "":
			file.Any = append(file.Any, e.reply)
		default:
			file.Steps[e.step] = append(file.Steps[e.step], e.reply)
		}
	}
	return encode(file, "  ")
}

func successReply(resp Response) json.RawMessage {
	switch {
	case len(resp.ToolCalls) > 0:
		return toolReply(resp)
	case plainObject(resp.Object):
		return resp.Object
	}
	return quote(resp.Text)
}

func toolReply(resp Response) json.RawMessage {
	type call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	reply := struct {
		ToolCalls []call `json:"tool_calls"`
		Text      string `json:"text,omitempty"`
	}{Text: resp.Text}
	for _, c := range resp.ToolCalls {
		reply.ToolCalls = append(reply.ToolCalls, call{c.Name, Arguments(string(c.Arguments))})
	}
	return mustEncode(reply)
}

func failureReply(err error) json.RawMessage {
	var transient interface{ Transient() bool }
	return mustEncode(struct {
		Error     string `json:"error"`
		Transient bool   `json:"transient,omitempty"`
	}{err.Error(), errors.As(err, &transient) && transient.Transient()})
}

// plainObject reports whether a structured output can be written to a script as it is: it must
// be an object without the keys that the script format uses for its own forms. Others are
// recorded as their JSON text.
func plainObject(object json.RawMessage) bool {
	var keys map[string]json.RawMessage
	if len(object) == 0 || object[0] != '{' || json.Unmarshal(object, &keys) != nil {
		return false
	}
	for _, special := range []string{"reply", "error", "tool_calls"} {
		if _, ok := keys[special]; ok {
			return false
		}
	}
	return true
}

// encode returns v as JSON without unnecessary escapes, because people read and edit
// recordings.
func encode(v any, indent string) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	err := encoder.Encode(v)
	return out.Bytes(), err
}

// mustEncode is encode for what always has a JSON form.
func mustEncode(v any) json.RawMessage {
	out, err := jsontext.Marshal(v)
	if err != nil {
		panic("models: a recorded reply that is not valid JSON: " + err.Error()) // cannot happen: raw JSON went through Arguments or Unmarshal
	}
	return out
}
