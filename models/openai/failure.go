package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/models/internal/wire"
)

// inStream returns an error that the server sends inside a stream, after status 200. Its type
// and code say which status it would have had.
func inStream(header http.Header, said trouble) *wire.Refusal {
	status := http.StatusInternalServerError
	switch word := said.Type + " " + said.Code; {
	case strings.Contains(word, "rate_limit"), strings.Contains(word, "429"):
		status = http.StatusTooManyRequests
	case strings.Contains(word, "invalid"), strings.Contains(word, "context_length"), strings.Contains(word, "400"):
		status = http.StatusBadRequest
	}
	return &wire.Refusal{Status: status, Header: header, Message: said.text()}
}

// A trouble is the content of a server's error response.
type trouble struct{ Message, Type, Code, Param string }

func (t trouble) text() string {
	if t.Param != "" && !strings.Contains(t.Message, t.Param) {
		return t.Message + " (parameter " + t.Param + ")"
	}
	return t.Message
}

// complaint reads an error body. Servers use {"error": {"message", "type", "code", "param"}},
// {"error": "text"}, {"message": "text"}, {"detail": …}, or an HTML page of a proxy, whose
// text is not used.
func complaint(body []byte) trouble {
	var said struct{ Error, Message, Detail json.RawMessage }
	if json.Unmarshal(body, &said) != nil {
		if text := strings.TrimSpace(string(body)); !strings.HasPrefix(text, "<") {
			return trouble{Message: text}
		}
		return trouble{}
	}
	var object struct{ Message, Type, Code, Param any }
	if json.Unmarshal(said.Error, &object) == nil {
		return trouble{word(object.Message), word(object.Type), word(object.Code), word(object.Param)}
	}
	for _, field := range []json.RawMessage{said.Error, said.Message, said.Detail} {
		if len(field) > 0 {
			return trouble{Message: strings.Trim(string(field), `"`)}
		}
	}
	return trouble{}
}

// word returns a field as text: codes are texts, numbers or null.
func word(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
