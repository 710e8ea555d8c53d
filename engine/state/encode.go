package state

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// AppendJSON appends the state's JSON text to b. Outputs and messages are copied unchanged and
// not decoded.
func (s *State) AppendJSON(b []byte) []byte {
	b = append(b, `{"id":`...)
	b = jsontext.AppendString(b, s.ID)
	b = append(b, `,"workflow":{`...)
	for i, id := range s.statuses.order {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, id)
		b = append(b, ':')
		b = s.statuses.steps[id].appendJSON(b)
	}
	b = append(b, `},"last_evaluated":`...)
	b = strconv.AppendInt(b, s.LastEvaluated, 10)
	b = append(b, `,"data":{"outputs":{`...)
	for i, step := range s.outputs.order {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, step)
		b = append(b, ':')
		b = s.outputs.byStep[step].appendJSON(b)
	}
	b = append(b, `},"messages":`...)
	b = appendList(b, s.messages)
	b = jsontext.AppendFields(b, s.dataExtra)
	b = append(b, `},"engine":`...)
	b = s.document().appendJSON(b, s.unknown)
	b = jsontext.AppendFields(b, s.extra)
	return append(b, '}')
}

func (e *Step) appendJSON(b []byte) []byte {
	b = append(b, `{"status":`...)
	b = jsontext.AppendString(b, e.Status)
	b = append(b, `,"error":`...)
	b = jsontext.AppendString(b, e.Error)
	if e.LastExecuted != 0 {
		b = append(b, `,"last_executed":`...)
		b = strconv.AppendInt(b, e.LastExecuted, 10)
	}
	b = jsontext.AppendFields(b, e.extra)
	return append(b, '}')
}

func (l *outputList) appendJSON(b []byte) []byte {
	if l.single {
		return append(b, l.values[0]...)
	}
	return appendList(b, l.values)
}

// appendJSON appends what encoding/json makes of a document, with unknown fields behind. The seeds
// may be as large as the outputs and are copied unchanged: encoding/json would go through them at
// every checkpoint.
func (e *document) appendJSON(b []byte, unknown []jsontext.Field) []byte {
	b = e.beforeSeeds.appendMembers(append(b, '{'))
	if len(e.Seeds) > 0 {
		b = appendKey(b, "seeds")
		b = append(b, '{')
		for _, step := range sortedKeys(e.Seeds) {
			b = appendKey(b, step)
			b = append(b, e.Seeds[step]...)
		}
		b = append(b, '}')
	}
	if !e.afterSeeds.empty() {
		b = appendMembers(b, &e.afterSeeds)
	}
	for _, f := range unknown {
		b = append(append(jsontext.AppendString(appendComma(b), f.Key), ':'), f.Value...)
	}
	return append(b, '}')
}

// appendMembers appends what encoding/json makes of the fields. Most checkpoints have nothing but the
// steps that have not ended; those are written here, without reflection.
func (e *beforeSeeds) appendMembers(b []byte) []byte {
	if !e.plain() {
		return appendMembers(b, e)
	}
	if e.Entry != "" {
		b = appendOwnString(append(appendComma(b), `"entry":`...), e.Entry)
	}
	if len(e.Live) > 0 {
		b = append(appendComma(b), `"live":{`...)
		for _, step := range sortedKeys(e.Live) {
			b = append(appendOwnString(appendComma(b), step), ':')
			b = e.Live[step].appendJSON(b)
		}
		b = append(b, '}')
	}
	if e.Order != 0 {
		b = strconv.AppendInt(append(appendComma(b), `"order":`...), e.Order, 10)
	}
	if e.Visits != 0 {
		b = strconv.AppendInt(append(appendComma(b), `"visits":`...), int64(e.Visits), 10)
	}
	return b
}

// plain reports whether no field is set but those of the steps that have not ended.
func (e *beforeSeeds) plain() bool {
	return len(e.Joins)+len(e.Arrived)+len(e.Again)+len(e.Asks)+len(e.Untaken)+len(e.Held)+len(e.Problems)+len(e.Signals)+len(e.Suspended)+len(e.Settled) == 0 &&
		e.Paused == nil && e.Cancelled == nil && e.Failure == nil
}

func (e *afterSeeds) empty() bool {
	return len(e.Until)+len(e.Notices)+len(e.Undone) == 0 && e.Halted == nil && e.Parent == nil
}

func (l *LiveStep) appendJSON(b []byte) []byte {
	if l == nil || !l.plain() {
		return append(b, ownText(l)...)
	}
	b = strconv.AppendInt(append(b, `{"visit":`...), int64(l.Visit), 10)
	b = strconv.AppendInt(append(b, `,"order":`...), l.Order, 10)
	for i, from := range l.Took {
		if i == 0 {
			b = append(b, `,"took":[{`...)
		} else {
			b = append(b, `,{`...)
		}
		if from.Seq != 0 {
			b = append(strconv.AppendInt(append(b, `"seq":`...), from.Seq, 10), ',')
		}
		b = appendOwnString(append(b, `"path":`...), from.Path)
		if from.Jump {
			b = append(b, `,"jump":true`...)
		}
		b = append(b, '}')
	}
	if len(l.Took) > 0 {
		b = append(b, ']')
	}
	if l.Counted {
		b = append(b, `,"counted":true`...)
	}
	return append(b, '}')
}

// plain reports whether the step has a visit and the paths to it, and nothing else.
func (l *LiveStep) plain() bool {
	return l.Tries == 0 && l.RetryAt == 0 && l.Salt == 0 && len(l.Missing)+len(l.Why)+len(l.Approved)+len(l.Kind)+len(l.Then)+len(l.Lacks)+len(l.LackedBy) == 0 &&
		l.Tool == nil && l.Wait == nil
}

// appendMembers appends the members of an object of the engine's own part.
func appendMembers(b []byte, object any) []byte {
	text := ownText(object)
	if text = text[1 : len(text)-1]; len(text) > 0 {
		b = append(appendComma(b), text...)
	}
	return b
}

func appendKey(b []byte, key string) []byte {
	return append(appendOwnString(appendComma(b), key), ':')
}

// appendOwnString is ownText of a string.
func appendOwnString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return append(b, ownText(s)...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// appendComma appends a comma unless an object has just begun.
func appendComma(b []byte) []byte {
	if b[len(b)-1] == '{' {
		return b
	}
	return append(b, ',')
}

// ownText encodes a value of the engine's own part.
func ownText(v any) []byte {
	text, err := jsontext.Marshal(v)
	if err != nil { // only a RawMessage that is not valid JSON could do this, and none gets in
		panic("engine: state: " + err.Error())
	}
	return text
}

func appendList(b []byte, values []json.RawMessage) []byte {
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}
