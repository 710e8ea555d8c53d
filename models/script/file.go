package script

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// A File is a parsed script file.
type File struct {
	Steps map[string][]Reply
	Match []Match
	Any   []Reply
	// Fitting skips general replies that do not fit the call.
	Fitting bool
	// Echo means "otherwise": "echo".
	Echo bool
}

// A Match answers every call whose last user message matches its pattern. With Result, the
// last message of the call must also be a matching tool result; with Said, the conversation
// must also contain a matching message of the model.
type Match struct {
	Pattern *Pattern
	Result  *Pattern // nil for any call
	Said    *Pattern // nil for any call
	Reply   Reply
}

// A Reply is what one call gets: text, an object, tool calls or an error.
type Reply struct {
	Text      string          // the object as compact JSON if it is one
	Object    json.RawMessage // nil unless the reply is an object
	ToolCalls []Call
	Error     *Failure
	Delay     time.Duration
}

// A Call is a tool call in a script file; its id is generated when it is played.
type Call struct {
	Name      string
	Arguments json.RawMessage
}

// A Failure is a scripted error.
type Failure struct {
	Message   string
	Transient bool
}

// Load reads and parses a script file. Its errors begin with the path and, for invalid
// content, line and column.
func Load(path string) (File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return File{}, fmt.Errorf("model script: %w", err)
	}
	file, err := Parse(data)
	if err != nil {
		return File{}, fmt.Errorf("%s:%w", path, err)
	}
	return file, nil
}
