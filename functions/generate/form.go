package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"

	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// Values of schema_by.
const (
	byFormat = "format"
	byTool   = "tool"
)

// Values of text_as.
const (
	asPretty = "pretty"
	asFenced = "fenced"
)

// defaultTool is what the tool is called whose arguments are the object.
const defaultTool = "extract"

// toolName is what the name of a tool may not have on the wires we know.
var toolName = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// A form is the shape of the object that is asked for, how it is asked for, and how it reads
// as text.
type form struct {
	schema json.RawMessage
	name   string
	by     string
	textAs string
}

// form reads the choices of a step; the schema is not among them.
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

// ByTool tells whether the object comes as the arguments of a tool.
func (a *Asking) ByTool() bool { return a.form.by == byTool }

// askObject asks q for the object, in the way the step wants.
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
	if response.Object == nil { // models without tools, and some with them, write it
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

// tool is the name of the tool.
func (f form) tool() string {
	name := toolName.ReplaceAllString(f.name, "_")
	if name == "" {
		return defaultTool
	}
	return name[:min(len(name), 64)]
}

// ObjectText is the object as text: the text in it unless text_as wants all of it laid out.
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
