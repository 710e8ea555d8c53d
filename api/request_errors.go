package api

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/near"
)

// requestErrors are the places where a request does not fit what an operation takes, in words that say
// what to send.
type requestErrors struct {
	schemas    huma.Registry
	bodies     []*huma.Schema // what the body may be
	parameters []string       // of the query
}

func requestErrorsOf(operation *huma.Operation, schemas huma.Registry) requestErrors {
	m := requestErrors{schemas: schemas}
	if operation == nil {
		return m
	}
	if body := operation.RequestBody; body != nil {
		for _, kind := range slices.Sorted(maps.Keys(body.Content)) {
			m.bodies = append(m.bodies, body.Content[kind].Schema)
		}
	}
	for _, p := range operation.Parameters {
		if p.In == "query" {
			m.parameters = append(m.parameters, p.Name)
		}
	}
	return m
}

// fault makes a fault of what huma found, and adds what huma does not say: the name that was
// probably meant, and which kind of value was sent.
func (m requestErrors) fault(d *huma.ErrorDetail) Fault {
	f := faultOf(d)
	switch {
	case f.Message == "unexpected property":
		parent, name := "", f.Pointer
		if cut := strings.LastIndexByte(f.Pointer, '/'); cut >= 0 {
			parent, name = f.Pointer[:cut], jsontext.UnescapeToken(f.Pointer[cut+1:])
		}
		f.Message += suggestedNames(name, m.properties(parent))
	case f.Message == "unknown query parameter":
		f.Message += suggestedNames(f.Parameter, m.parameters)
	case strings.HasPrefix(f.Message, "expected ") && f.Parameter == "":
		f.Message += gotKind(d.Value)
	}
	return f
}

// properties are the names that the object at a place of the body may have.
func (m requestErrors) properties(pointer string) []string {
	for _, body := range m.bodies {
		schema := m.resolved(body)
		for _, part := range strings.Split(pointer, "/")[1:] {
			switch {
			case schema == nil:
			case schema.Items != nil:
				schema = m.resolved(schema.Items)
			default:
				schema = m.resolved(schema.Properties[jsontext.UnescapeToken(part)])
			}
		}
		if schema != nil && len(schema.Properties) > 0 {
			return slices.Sorted(maps.Keys(schema.Properties))
		}
	}
	return nil
}

func (m requestErrors) resolved(schema *huma.Schema) *huma.Schema {
	if schema != nil && schema.Ref != "" && m.schemas != nil {
		return m.schemas.SchemaFromRef(schema.Ref)
	}
	return schema
}

// shownNames is how many names a fault lists.
const shownNames = 25

// suggestedNames is the known name that is near to another, else all of them.
func suggestedNames(name string, known []string) string {
	if found := near.Names(name, known, 1); len(found) > 0 {
		return fmt.Sprintf("; did you mean %q?", found[0])
	}
	if len(known) == 0 {
		return "; there are none here"
	}
	text := "; known are " + strings.Join(known[:min(len(known), shownNames)], ", ")
	if len(known) > shownNames {
		text += ", …"
	}
	return text
}

// gotKind names the kind of a value that is not the expected one.
func gotKind(value any) string {
	switch value := value.(type) {
	case nil:
		return ", got null or nothing"
	case string:
		return ", got a text"
	case bool:
		return ", got a boolean"
	case map[string]any:
		return ", got an object"
	case []any:
		return ", got a list"
	case float64:
		return fmt.Sprintf(", got %v", value)
	}
	return ""
}

// humaProblem replaces huma's own error, which validation makes, by a problem. It is a
// transformer of this API only, because huma.NewError is one for the whole process and
// an embedding server may use huma itself.
func humaProblem(schemas huma.Registry) huma.Transformer {
	return func(c huma.Context, _ string, v any) (any, error) {
		e, ok := v.(*huma.ErrorModel)
		if !ok {
			return v, nil
		}
		m := requestErrorsOf(c.Operation(), schemas)
		faults := make([]Fault, len(e.Errors))
		for i, d := range e.Errors {
			faults[i] = m.fault(d)
		}
		detail := e.Detail
		if detail == "validation failed" {
			detail = detailOf(faults)
		}
		p := problem(slugOfStatus(e.Status), detail, faults...)
		p.Status = e.Status
		return p, nil
	}
}

func slugOfStatus(status int) string {
	switch status {
	case http.StatusUnprocessableEntity:
		return "request_invalid"
	case http.StatusRequestEntityTooLarge:
		return "too_large"
	case http.StatusUnsupportedMediaType:
		return "unsupported_media_type"
	case http.StatusInternalServerError:
		return "internal"
	}
	return "bad_request"
}

var missingProperty = regexp.MustCompile(`^expected required property (.+) to be present$`)

// faultOf reads a place as huma writes it: body.steps[0].input, query.limit.
func faultOf(d *huma.ErrorDetail) Fault {
	where, rest, _ := strings.Cut(d.Location, ".")
	if cut := strings.IndexByte(where, '['); cut >= 0 {
		rest = where[cut:] + "." + rest
		where = where[:cut]
	}
	if where != "body" {
		return Fault{Parameter: rest, Message: d.Message}
	}
	f := Fault{Pointer: pointerOf(rest), Message: d.Message}
	if m := missingProperty.FindStringSubmatch(d.Message); m != nil {
		f.Pointer += "/" + jsontext.EscapeToken(m[1])
		f.Message = "is missing"
	}
	return f
}

func pointerOf(place string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(place, func(c rune) bool { return c == '.' || c == '[' || c == ']' }) {
		b.WriteString("/" + jsontext.EscapeToken(part))
	}
	return b.String()
}
