package state

import (
	"encoding/json"
	"strconv"

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
	b = appendMembers(append(b, '{'), &e.beforeSeeds)
	if len(e.Seeds) > 0 {
		b = appendKey(b, "seeds")
		b = append(b, '{')
		for _, step := range sortedKeys(e.Seeds) {
			b = appendKey(b, step)
			b = append(b, e.Seeds[step]...)
		}
		b = append(b, '}')
	}
	b = appendMembers(b, &e.afterSeeds)
	for _, f := range unknown {
		b = append(append(jsontext.AppendString(appendComma(b), f.Key), ':'), f.Value...)
	}
	return append(b, '}')
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
	return append(append(appendComma(b), ownText(key)...), ':')
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
