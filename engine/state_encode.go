package engine

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the state's text to b: outputs and messages as they stand, nothing
// decoded, so the cost is that of copying.
func (s *State) AppendJSON(b []byte) []byte {
	b = append(b, `{"id":`...)
	b = appendText(b, s.ID)
	b = append(b, `,"workflow":{`...)
	for i, id := range s.stepOrder {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, id)
		b = append(b, ':')
		b = s.steps[id].appendJSON(b)
	}
	b = append(b, `},"last_evaluated":`...)
	b = strconv.AppendInt(b, s.LastEvaluated, 10)
	b = append(b, `,"data":{"outputs":{`...)
	for i, step := range s.outputOrder {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, step)
		b = append(b, ':')
		b = s.outputs[step].appendJSON(b)
	}
	b = append(b, `},"messages":`...)
	b = appendList(b, s.messages)
	b = appendFields(b, s.dataExtra)
	b = append(b, `},"engine":`...)
	b = s.engine.appendJSON(b)
	b = appendFields(b, s.extra)
	return append(b, '}')
}

func (e *StepState) appendJSON(b []byte) []byte {
	b = append(b, `{"status":`...)
	b = appendText(b, e.Status)
	b = append(b, `,"error":`...)
	b = appendText(b, e.Error)
	if e.LastExecuted != 0 {
		b = append(b, `,"last_executed":`...)
		b = strconv.AppendInt(b, e.LastExecuted, 10)
	}
	b = appendFields(b, e.extra)
	return append(b, '}')
}

func (l *outputList) appendJSON(b []byte) []byte {
	if l.single {
		return append(b, l.values[0]...)
	}
	return appendList(b, l.values)
}

func (e *engineState) appendJSON(b []byte) []byte {
	text, err := encodePlain(e)
	if err != nil { // only a RawMessage that is no JSON could do this, and none gets in
		panic("engine: state: " + err.Error())
	}
	if len(e.extra) == 0 {
		return append(b, text...)
	}
	if string(text) == "{}" {
		b = append(b, '{')
		b = appendText(b, e.extra[0].key)
		b = append(b, ':')
		b = append(b, e.extra[0].value...)
		b = appendFields(b, e.extra[1:])
		return append(b, '}')
	}
	b = append(b, text[:len(text)-1]...)
	b = appendFields(b, e.extra)
	return append(b, '}')
}

// appendFields appends ,"key":value for each field; an object must have begun before.
func appendFields(b []byte, fields []rawField) []byte {
	for _, f := range fields {
		b = append(b, ',')
		b = appendText(b, f.key)
		b = append(b, ':')
		b = append(b, f.value...)
	}
	return b
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

const hexDigits = "0123456789abcdef"

// appendText appends s as a JSON string with nothing escaped that JSON does not require.
// Bytes that are no UTF-8 become U+FFFD.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(b, s[start:i]...)
				b = append(b, "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// textJSON is a text as a JSON value.
func textJSON(s string) json.RawMessage { return appendText(nil, s) }
