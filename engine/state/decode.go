package state

import (
	"bytes"
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
// Outputs and messages are parts of one copy of the text, which is gone through once.
func Parse(session string, text []byte) (*State, error) {
	parses.Add(1)
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	d := decoder{state: New(session), scan: jsontext.NewScanner(bytes.Clone(text))}
	switch d.scan.Next() {
	case '{':
		d.scan.Object(d.top)
	default:
		d.fault = "want a JSON object, have " + kindOf(d.scan.Raw())
	}
	if !d.scan.Valid() {
		var v any
		return nil, &Error{session, "not JSON: " + jsonFault(json.Unmarshal(text, &v), text)}
	}
	if d.fault != "" {
		return nil, &Error{session, d.fault}
	}
	return d.state, nil
}

// kindOf names the kind of a JSON value.
func kindOf(value []byte) string { return gjson.ParseBytes(value).Type.String() }

// A decoder fills a state from a text. Each of its methods reads one value, whatever it is, so that a
// text that is not valid JSON is called that and not something else.
type decoder struct {
	state *State
	scan  *jsontext.Scanner
	fault string
}

// bad notes the first value that is of another kind than it has to be.
func (d *decoder) bad(problem string) {
	if d.fault == "" {
		d.fault = problem
	}
}

func (d *decoder) top(key string) {
	switch key {
	case "id":
		d.scan.Raw() // The node's id is the session's; a copy that differs is replaced when written.
	case "workflow":
		d.object("workflow", d.step)
	case "last_evaluated":
		d.state.LastEvaluated = milliseconds(gjson.ParseBytes(d.scan.Raw()))
	case "data":
		d.object("data", d.data)
	case "engine":
		d.engine()
	default:
		d.state.extra = append(d.state.extra, jsontext.Field{Key: key, Value: d.scan.Raw()})
	}
}

// object reads an object or null. member has to read the value of its key.
func (d *decoder) object(where string, member func(key string)) bool {
	if d.scan.Next() == '{' {
		d.scan.Object(member)
		return true
	}
	if value := d.scan.Raw(); kindOf(value) != gjson.Null.String() {
		d.bad(where + " is " + kindOf(value) + ", want an object")
	}
	return false
}

func (d *decoder) step(id string) {
	if d.scan.Next() != '{' {
		d.object("workflow."+id, nil)
		return
	}
	e := d.state.SetStatus(id, "", "")
	d.scan.Object(func(key string) {
		raw := d.scan.Raw()
		f := gjson.ParseBytes(raw)
		switch key {
		case "status":
			e.Status = f.String()
		case "error":
			if f.Type != gjson.Null {
				e.Error = f.String()
			}
		case "last_executed":
			e.LastExecuted = milliseconds(f)
		default:
			e.extra = append(e.extra, jsontext.Field{Key: key, Value: raw})
		}
	})
	switch e.Status {
	case store.StatusActive, store.StatusPending, store.StatusComplete, store.StatusError, store.StatusAwaitingInput, store.StatusSkipped, store.StatusCancelled:
	default:
		d.bad(fmt.Sprintf("workflow.%s.status is %q, want active, pending, complete, error, awaiting_input, skipped or cancelled", id, e.Status))
	}
}

func (d *decoder) data(key string) {
	switch key {
	case "outputs":
		d.object("data.outputs", d.outputs)
	case "messages":
		if d.scan.Next() == '[' {
			d.scan.Array(func() { d.state.messages = append(d.state.messages, d.scan.Raw()) })
		} else if value := d.scan.Raw(); kindOf(value) != gjson.Null.String() {
			d.bad("data.messages is " + kindOf(value) + ", want a list")
		}
	default:
		d.state.dataExtra = append(d.state.dataExtra, jsontext.Field{Key: key, Value: d.scan.Raw()})
	}
}

func (d *decoder) outputs(step string) {
	l := &outputList{single: d.scan.Next() != '['}
	if l.single {
		l.values = []json.RawMessage{d.scan.Raw()}
	} else {
		d.scan.Array(func() { l.values = append(l.values, d.scan.Raw()) })
	}
	if d.state.byStep[step] == nil {
		d.state.outputs.order = append(d.state.outputs.order, step)
	}
	d.state.byStep[step] = l
}

func (d *decoder) engine() {
	if d.scan.Next() != '{' {
		d.object("engine", nil)
		return
	}
	text := d.scan.Raw()
	if text == nil {
		return
	}
	var stored document
	if err := json.Unmarshal(text, &stored); err != nil {
		d.bad("engine: " + err.Error())
		return
	}
	part := jsontext.NewScanner(text)
	part.Object(func(key string) {
		if value := part.Raw(); !documentKeys[key] {
			d.state.unknown = append(d.state.unknown, jsontext.Field{Key: key, Value: value})
		}
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
