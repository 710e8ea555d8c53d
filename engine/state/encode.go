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

func (e *document) appendJSON(b []byte, unknown []jsontext.Field) []byte {
	text, err := jsontext.Marshal(e)
	if err != nil { // only a RawMessage that is not valid JSON could do this, and none gets in
		panic("engine: state: " + err.Error())
	}
	if len(unknown) == 0 {
		return append(b, text...)
	}
	if string(text) == "{}" {
		b = append(b, '{')
		b = jsontext.AppendString(b, unknown[0].Key)
		b = append(b, ':')
		b = append(b, unknown[0].Value...)
		b = jsontext.AppendFields(b, unknown[1:])
		return append(b, '}')
	}
	b = append(b, text[:len(text)-1]...)
	b = jsontext.AppendFields(b, unknown)
	return append(b, '}')
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
