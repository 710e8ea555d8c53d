package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/near"
)

// misfits are the places where a request does not fit what an operation takes, in words that say
// what to send.
type misfits struct {
	schemas    huma.Registry
	bodies     []*huma.Schema // what the body may be
	parameters []string       // of the query
}

func misfitsOf(operation *huma.Operation, schemas huma.Registry) misfits {
	m := misfits{schemas: schemas}
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
func (m misfits) fault(d *huma.ErrorDetail) Fault {
	f := faultOf(d)
	switch {
	case f.Message == "unexpected property":
		parent, name := "", f.Pointer
		if cut := strings.LastIndexByte(f.Pointer, '/'); cut >= 0 {
			parent, name = f.Pointer[:cut], jsontext.UnescapeToken(f.Pointer[cut+1:])
		}
		f.Message += meantName(name, m.properties(parent))
	case f.Message == "unknown query parameter":
		f.Message += meantName(f.Parameter, m.parameters)
	case strings.HasPrefix(f.Message, "expected ") && f.Parameter == "":
		f.Message += got(d.Value)
	}
	return f
}

// detailOf describes the first of the faults in one sentence, and how many there are.
func detailOf(faults []Fault) string {
	if len(faults) == 0 {
		return ""
	}
	f := faults[0]
	where := "the body"
	if f.Parameter != "" {
		where = "parameter " + f.Parameter
	} else if f.Pointer != "" {
		where = f.Pointer
	}
	text := where + ": " + f.Message
	if more := len(faults) - 1; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// properties are the names that the object at a place of the body may have.
func (m misfits) properties(pointer string) []string {
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

func (m misfits) resolved(schema *huma.Schema) *huma.Schema {
	if schema != nil && schema.Ref != "" && m.schemas != nil {
		return m.schemas.SchemaFromRef(schema.Ref)
	}
	return schema
}

// shownNames is how many names a fault lists.
const shownNames = 25

// meantName is the known name that is near to another, else all of them.
func meantName(name string, known []string) string {
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

// got names the kind of a value that is not the expected one.
func got(value any) string {
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
