package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"

	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// Values of the field schema_by.
const (
	byFormat = "format"
	byTool   = "tool"
)

// Values of the field text_as.
const (
	asPretty = "pretty"
	asFenced = "fenced"
)

// defaultTool is the default name of the tool whose arguments are the structured output.
const defaultTool = "extract"

// toolName matches the characters that providers do not allow in the name of a tool.
var toolName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// A form describes structured output: how it is requested and how it is converted to text.
type form struct {
	schema json.RawMessage
	name   string
	by     string
	textAs string
}

// form reads the fields of a step that make a form; the schema is not one of them.
func (in Input) form() (f form, err error) {
	switch f.by = string(in.SchemaBy); f.by {
	case "":
		f.by = byFormat
	case byFormat, byTool:
	default:
		return f, input.Bad("schema_by: want %s or %s, not %q", byFormat, byTool, in.SchemaBy)
	}
	switch f.textAs = string(in.TextAs); f.textAs {
	case "", asPretty, asFenced:
	default:
		return f, input.Bad("text_as: want %s, %s or nothing, not %q", asPretty, asFenced, in.TextAs)
	}
	return f, nil
}

// ByTool reports whether the object is requested as the arguments of a tool.
func (a *Asking) ByTool() bool { return a.form.by == byTool }

// askObject sends q for structured output, in the way the step chose.
func (a *Asking) askObject(ctx context.Context, q models.Request) (models.Response, error) {
	if !a.ByTool() {
		q.Schema, q.SchemaName = a.form.schema, a.form.name
		return a.Ask(ctx, q)
	}
	q.Tools = []models.Tool{{Name: a.form.tool(), Parameters: a.form.schema}}
	q.ToolChoice = a.form.tool()
	response, err := a.Ask(ctx, q)
	if err != nil {
		return response, err
	}
	if response.Object == nil { // models without tools, and some with them, write the object as text
		response.Object = models.Object(a.form.schema, response.Text)
	}
	for _, c := range response.ToolCalls {
		if bytes.HasPrefix(c.Arguments, []byte("{")) {
			response.Object = c.Arguments
			break
		}
	}
	response.Object = closed(a.form.schema, response.Object)
	return response, nil
}

// tool returns the name of the tool.
func (f form) tool() string {
	name := toolName.ReplaceAllString(f.name, "_")
	if name == "" {
		return defaultTool
	}
	return name[:min(len(name), 64)]
}

// ObjectText returns the object as text: the text field in it, or the whole object as indented
// JSON if text_as asks for that.
func (a *Asking) ObjectText(object json.RawMessage) string {
	if a.form.textAs == "" {
		return input.ResponseText(object)
	}
	text := string(object)
	var laid bytes.Buffer
	if json.Indent(&laid, object, "", "  ") == nil {
		text = laid.String()
	}
	if a.form.textAs == asFenced {
		return "```json\n" + text + "\n```"
	}
	return text
}
