package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// parses counts the calls of Parse.
var parses atomic.Int64

// Parses returns how many state texts this process has decoded so far. Decoding is what grows with a
// state's size, so a test holds the number for one answer.
func Parses() int64 { return parses.Load() }

// Parse reads a SESSION.state. The text may be the seed's or LUNA's (seconds,
// outputs that are no lists, further keys), or made by hand: every part may be absent.
func Parse(session string, text []byte) (*State, error) {
	parses.Add(1)
	if len(strings.TrimSpace(string(text))) == 0 {
		text = []byte("{}")
	}
	if !json.Valid(text) {
		var v any
		return nil, &Error{session, "not JSON: " + jsonFault(json.Unmarshal(text, &v), text)}
	}
	root := gjson.ParseBytes(text)
	if !root.IsObject() {
		return nil, &Error{session, "want a JSON object, have " + root.Type.String()}
	}
	s := New(session)
	d := decoder{state: s}
	root.ForEach(func(k, v gjson.Result) bool {
		d.top(k.String(), v)
		return d.fault == ""
	})
	if d.fault != "" {
		return nil, &Error{session, d.fault}
	}
	return s, nil
}

type decoder struct {
	state *State
	fault string
}

func (d *decoder) bad(where, want string, v gjson.Result) {
	if d.fault == "" {
		d.fault = fmt.Sprintf("%s is %s, want %s", where, v.Type, want)
	}
}

func (d *decoder) top(key string, v gjson.Result) {
	switch key {
	case "id":
		// The node's id is the session's; a copy that differs is replaced when written.
	case "workflow":
		if d.object("workflow", v) {
			v.ForEach(func(k, e gjson.Result) bool { d.step(k.String(), e); return true })
		}
	case "last_evaluated":
		d.state.LastEvaluated = milliseconds(v)
	case "data":
		if d.object("data", v) {
			v.ForEach(func(k, e gjson.Result) bool { d.data(k.String(), e); return true })
		}
	case "engine":
		d.engine(v)
	default:
		d.state.extra = append(d.state.extra, jsontext.FieldOf(key, v))
	}
}

func (d *decoder) object(where string, v gjson.Result) bool {
	if v.Type == gjson.Null {
		return false
	}
	if !v.IsObject() {
		d.bad(where, "an object", v)
		return false
	}
	return true
}

func (d *decoder) step(id string, v gjson.Result) {
	if !d.object("workflow."+id, v) {
		return
	}
	e := d.state.SetStatus(id, "", "")
	v.ForEach(func(k, f gjson.Result) bool {
		switch k.String() {
		case "status":
			e.Status = f.String()
		case "error":
			if f.Type != gjson.Null {
				e.Error = f.String()
			}
		case "last_executed":
			e.LastExecuted = milliseconds(f)
		default:
			e.extra = append(e.extra, jsontext.FieldOf(k.String(), f))
		}
		return true
	})
	switch e.Status {
	case store.StatusActive, store.StatusPending, store.StatusComplete, store.StatusError, store.StatusAwaitingInput, store.StatusSkipped, store.StatusCancelled:
	default:
		if d.fault == "" {
			d.fault = fmt.Sprintf("workflow.%s.status is %q, want active, pending, complete, error, awaiting_input, skipped or cancelled", id, e.Status)
		}
	}
}

func (d *decoder) data(key string, v gjson.Result) {
	switch key {
	case "outputs":
		if d.object("data.outputs", v) {
			v.ForEach(func(k, e gjson.Result) bool { d.outputs(k.String(), e); return true })
		}
	case "messages":
		if v.Type == gjson.Null {
			return
		}
		if !v.IsArray() {
			d.bad("data.messages", "a list", v)
			return
		}
		v.ForEach(func(_, m gjson.Result) bool {
			d.state.messages = append(d.state.messages, json.RawMessage(m.Raw))
			return true
		})
	default:
		d.state.dataExtra = append(d.state.dataExtra, jsontext.FieldOf(key, v))
	}
}

func (d *decoder) outputs(step string, v gjson.Result) {
	l := &outputList{single: !v.IsArray()}
	if l.single {
		l.values = []json.RawMessage{json.RawMessage(v.Raw)}
	} else {
		v.ForEach(func(_, o gjson.Result) bool {
			l.values = append(l.values, json.RawMessage(o.Raw))
			return true
		})
	}
	if d.state.byStep[step] == nil {
		d.state.outputs.order = append(d.state.outputs.order, step)
	}
	d.state.byStep[step] = l
}

func (d *decoder) engine(v gjson.Result) {
	if !d.object("engine", v) {
		return
	}
	var stored document
	if err := json.Unmarshal([]byte(v.Raw), &stored); err != nil {
		d.fault = "engine: " + err.Error()
		return
	}
	v.ForEach(func(k, f gjson.Result) bool {
		if !documentKeys[k.String()] {
			d.state.unknown = append(d.state.unknown, jsontext.FieldOf(k.String(), f))
		}
		return true
	})
	for step, l := range stored.Live {
		if l == nil {
			delete(stored.Live, step)
		}
	}
	for step, seed := range stored.Seeds { // a person may have written them with blanks
		stored.Seeds[step] = jsontext.Compact(seed)
	}
	d.state.takeUp(&stored)
}

// milliseconds reads a time of the state: integer milliseconds, or LUNA's seconds (before
// the year 5138 a number of seconds is below 10^11, and after 1973 one of milliseconds
// is not).
func milliseconds(v gjson.Result) int64 {
	if v.Type != gjson.Number || math.IsNaN(v.Num) || v.Num <= 0 {
		return 0
	}
	if v.Num < 1e11 {
		return int64(v.Num * 1000)
	}
	return v.Int()
}

// jsonFault says where a text stops being JSON.
func jsonFault(err error, text []byte) string {
	var syntax *json.SyntaxError
	if err == nil {
		return "unexpected end"
	}
	if errors.As(err, &syntax) {
		upTo := text[:min(int(syntax.Offset), len(text))]
		line := 1 + strings.Count(string(upTo), "\n")
		column := len(upTo) - strings.LastIndexByte(string(upTo), '\n') - 1
		return fmt.Sprintf("%s at line %d, column %d", syntax.Error(), line, max(column, 1))
	}
	return err.Error()
}
