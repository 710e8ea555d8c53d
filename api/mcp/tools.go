package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A tool is an operation with what its calls take.
type tool struct {
	offer
	method, path string
	in           map[string]string // where an argument goes: path, query, body; bodyItself for one that is the body
	required     []string
	described    *sdk.Tool
}

// Where arguments go.
const (
	inPath     = "path"
	inQuery    = "query"
	inBody     = "body"
	bodyItself = "the body"
)

// Names of arguments that no schema of the API has.
const (
	keyArgument    = "idempotency_key"
	objectArgument = "properties" // the body of operations that take an object of any properties
)

// Tools are the operations of an API that MCP clients may call. They may be shared.
type Tools struct {
	version string
	list    []*tool
}

// Read finds the tools in an OpenAPI document. Operations that it lacks are left out, as those of
// a server of another version are; a document without any of them is an error.
func Read(text []byte) (*Tools, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}
	byID, err := d.operations()
	if err != nil {
		return nil, err
	}
	t := &Tools{version: d.Info.Version}
	for _, o := range offers {
		if op := byID[o.operation]; op != nil {
			op.offer = o
			if err := op.describe(&d); err != nil {
				return nil, fmt.Errorf("operation %s: %w", o.operation, err)
			}
			t.list = append(t.list, &op.tool)
		}
	}
	if len(t.list) == 0 {
		return nil, fmt.Errorf("OpenAPI document: it has none of the operations that are tools")
	}
	return t, nil
}

// A found operation is one with its place in the document.
type found struct {
	tool
	operation operation
}

func (d *document) operations() (map[string]*found, error) {
	byID := map[string]*found{}
	for path, item := range d.Paths {
		for method, text := range item {
			if !slices.Contains([]string{"get", "put", "post", "patch", "delete"}, method) {
				continue
			}
			f := &found{tool: tool{method: strings.ToUpper(method), path: path, in: map[string]string{}}}
			if err := json.Unmarshal(text, &f.operation); err != nil {
				return nil, fmt.Errorf("OpenAPI document, %s %s: %w", method, path, err)
			}
			byID[f.operation.OperationID] = f
		}
	}
	return byID, nil
}

// describe makes the tool as clients see it: the parameters and the fields of the body are its
// arguments. Where both have a name, the body's is meant.
func (f *found) describe(d *document) error {
	schema := &objectSchema{Type: "object", Properties: map[string]json.RawMessage{}}
	if err := f.takeBody(d, schema); err != nil {
		return err
	}
	for _, p := range f.operation.Parameters {
		if f.in[p.Name] == "" && (p.In == inPath || p.In == inQuery) {
			f.in[p.Name] = p.In
			schema.add(p)
		}
	}
	if f.method == http.MethodPost {
		schema.Properties[keyArgument] = json.RawMessage(`{"type":"string","description":"a call that is repeated with the same key counts once"}`)
	}
	slices.Sort(schema.Required)
	f.required = schema.Required
	text, err := json.Marshal(schema.with(d))
	if err != nil {
		return err
	}
	input := &jsonschema.Schema{}
	if err := json.Unmarshal(text, input); err != nil {
		return err
	}
	no, yes := false, true
	destroys := &no
	if f.hint == replaces {
		destroys = &yes
	}
	f.described = &sdk.Tool{Name: f.name, Title: f.operation.Summary, Description: cmp.Or(f.about, sentence(f.operation.Summary)+f.operation.Description), InputSchema: input,
		Annotations: &sdk.ToolAnnotations{Title: f.operation.Summary, ReadOnlyHint: f.hint == reads, DestructiveHint: destroys, OpenWorldHint: &no,
			IdempotentHint: f.hint != reads && f.method != http.MethodPost}}
	return nil
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.TrimSuffix(text, ".") + ". "
}

// takeBody adds the fields of a JSON body, or the one argument that is the body.
func (f *found) takeBody(d *document, schema *objectSchema) error {
	for kind, media := range f.operation.RequestBody.Content {
		if kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			continue
		}
		body, err := d.object(media.Schema)
		if err != nil {
			return err
		}
		if len(body.Properties) == 0 {
			f.in[objectArgument] = bodyItself
			schema.Properties[objectArgument] = json.RawMessage(`{"type":"object","description":"the properties to change"}`)
			schema.Required = append(schema.Required, objectArgument)
			return nil
		}
		for name := range body.Properties {
			f.in[name] = inBody
		}
		maps.Copy(schema.Properties, body.Properties)
		schema.Required = append(schema.Required, body.Required...)
		return nil
	}
	return nil
}
