package flowise

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/tidwall/gjson"
)

// A Published flow is a tool of an MCP server, as configured by the mcpServerConfig of a
// chatflow.
type Published struct {
	Enabled     bool   `json:"enabled"`
	Token       string `json:"token"` // 32 hexadecimal digits, sent by callers
	ToolName    string `json:"toolName"`
	Description string `json:"description"`
}

// ReadPublished reads the mcpServerConfig of a chatflow; an invalid one publishes nothing.
func ReadPublished(text string) Published {
	var p Published
	if json.Unmarshal([]byte(text), &p) != nil {
		return Published{}
	}
	return p
}

// Trusts reports whether a token is valid for the flow.
func (p Published) Trusts(token string) bool {
	return p.Enabled && p.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(p.Token)) == 1
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Check returns an error if the name of the tool is invalid.
func (p Published) Check() error {
	if !toolName.MatchString(p.ToolName) {
		return fmt.Errorf("toolName %q: want 1 to 64 letters, digits, _ and -", p.ToolName)
	}
	return nil
}

// formTypes are the types of form fields in JSON Schema; options are texts.
var formTypes = map[string]string{"number": "number", "boolean": "boolean"}

// Arguments returns the JSON Schema of the arguments of a flow as a tool: a question, or the
// form fields that its start declares.
func (s Start) Arguments() json.RawMessage {
	if s.Input != startForm {
		return encoded(inputs.Of("type", "object", "properties", inputs.Of("question", inputs.Of("type", "string", "description", "what to ask the flow")), "required", []any{"question"}))
	}
	fields := inputs.Of()
	for _, row := range rowsOf(s.Inputs.Get("formInputTypes")) {
		field := inputs.Of("type", orType(row.Get("type").String()))
		if label := row.Get("label").String(); label != "" {
			field = field.With("description", label)
		}
		if options := optionsOf(row); len(options) > 0 {
			field = field.With("enum", options)
		}
		if name := row.Get("name").String(); name != "" {
			fields = fields.Set(name, field)
		}
	}
	return encoded(inputs.Of("type", "object", "properties", inputs.Of("form", inputs.Of("type", "object", "properties", fields)), "required", []any{"form"}))
}

func encoded(o inputs.Object) json.RawMessage { return json.RawMessage(inputs.Encode(o)) }

func orType(kind string) string {
	if known := formTypes[kind]; known != "" {
		return known
	}
	return "string"
}

func optionsOf(row gjson.Result) []any {
	var out []any
	if row.Get("type").String() == "options" {
		for _, one := range rowsOf(row.Get("addOptions")) {
			out = append(out, one.Get("option").String())
		}
	}
	return out
}

// Called returns the prediction for a tool call. The error names invalid arguments.
func (s Start) Called(arguments json.RawMessage) (*Prediction, error) {
	given := gjson.ParseBytes(arguments)
	if s.Input != startForm {
		question := given.Get("question")
		if question.Type != gjson.String {
			return nil, errors.New("question: want a text")
		}
		return &Prediction{Question: question.String()}, nil
	}
	form := given.Get("form")
	if !form.IsObject() {
		return nil, errors.New("form: want an object")
	}
	for _, row := range rowsOf(s.Inputs.Get("formInputTypes")) {
		name := row.Get("name").String()
		value := form.Get(gjson.Escape(name))
		if !value.Exists() {
			continue
		}
		if kind := orType(row.Get("type").String()); typeOf(value) != kind {
			return nil, fmt.Errorf("form.%s: want a %s, not a %s", name, kind, typeOf(value))
		}
		if options := optionsOf(row); len(options) > 0 && !contains(options, value.String()) {
			return nil, fmt.Errorf("form.%s: want one of %s", name, strings.Trim(fmt.Sprint(options), "[]"))
		}
	}
	return &Prediction{Form: json.RawMessage(form.Raw)}, nil
}

func contains(list []any, text string) bool {
	for _, one := range list {
		if one == text {
			return true
		}
	}
	return false
}
