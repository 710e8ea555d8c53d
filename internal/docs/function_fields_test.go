package docs_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stepgraph/stepgraph/engine"
)

// functionGroups is the order of the index. A function that is in no group fails the test.
var functionGroups = []struct {
	title string
	names []string
}{
	{"People", []string{"utils.request.request", "utils.request.confirm", "utils.request.select", "utils.reply.reply"}},
	{"Models", []string{"utils.generate.generate", "agent", "classify"}},
	{"Decisions", []string{"condition", "switch"}},
	{"Data", []string{"template", "variable", "accumulate", "calculate", "utils.code.code"}},
	{"Services", []string{"utils.api.api", "graphql", "integration", "mcp.call", "graph.query"}},
	{"Loops, children, time", []string{"loop", "iterate", "map", "group", "subflow", "wait"}},
	{"The machine (off unless the operator allows it)", []string{"shell", "file.read", "file.write", "file.edit", "file.list", "file.find", "file.grep"}},
}

// functionIndex is docs/functions/README.md.
func functionIndex(t *testing.T, specs []*engine.Spec) []byte {
	t.Helper()
	byName := map[string]*engine.Spec{}
	for _, spec := range specs {
		byName[spec.Name] = spec
	}
	var b bytes.Buffer
	b.WriteString(`# Functions

What steps can call. A step names one in ` + "`function`" + ` and gives it ` + "`input`" + `; every text in the input may contain [references](../references-and-conditions.md).
Names are accepted with and without their prefix: ` + "`utils.reply.reply`, `utils.reply` and `reply`" + ` are the same. The pages are generated from the code.

Types on these pages: *text*, *number*, *whole number*, *boolean*, *duration* (seconds, or a text such as ` + "`90s`, `1h30m`, `2d`" + `), *list*, *object*, *any* (any JSON; the
meaning says which). A field takes the value of a reference in any fitting form: the text ` + "`\"3\"`" + ` is a number too.

Functions of your own: in any language [over HTTP](../configuration.md) (` + "`functions`" + ` in the configuration,
[an example in Python](../../examples/remote-python)), or in Go with ` + "`engine.Register`" + `.

Flows imported from Flowise, Agent Zero and call-centre graphs use seven more functions (` + "`agent.flowise`, `classify.flowise`, `iterate.flowise`, `subflow.flowise`," + `
` + "`calculate.flowise`, `agent.callcentre`, `agent.agentzero`" + `). They are described in [functions of imported flows](../formats/functions.md).
`)
	for _, group := range functionGroups {
		fmt.Fprintf(&b, "\n## %s\n\n| function | does |\n|---|---|\n", group.title)
		for _, name := range group.names {
			spec := byName[name]
			if spec == nil {
				t.Errorf("the group %s has %s, which does not exist", group.title, name)
				continue
			}
			delete(byName, name)
			fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", shortName(spec), pageName(spec), spec.Description)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		t.Errorf("%s is in no group of functionGroups", name)
	}
	return b.Bytes()
}

// shortName is the name people write.
func shortName(spec *engine.Spec) string {
	if name := pageName(spec); slices.Contains(spec.Aliases, name) {
		return name
	}
	return spec.Name
}

func propertyOrder(schema *jsonschema.Schema) []string {
	if len(schema.PropertyOrder) == len(schema.Properties) {
		return schema.PropertyOrder
	}
	return slices.Sorted(maps.Keys(schema.Properties))
}

var markedDefault = regexp.MustCompile(`([\w-]+) \(the default\)`)

// splitDefault takes the default out of a field's description: "how long; 30 s when absent",
// or "list (the default), or first".
func splitDefault(description string) (meaning, otherwise string) {
	before, after, found := strings.Cut(description, " when absent")
	if !found {
		if m := markedDefault.FindStringSubmatch(description); m != nil {
			otherwise = m[1]
		}
		return description, otherwise
	}
	before = strings.TrimSuffix(before, ",")
	at := strings.LastIndex(before, "; ")
	if at < 0 && !strings.Contains(before, ":") {
		at = strings.LastIndex(before, ", ")
	}
	if at >= 0 {
		meaning, otherwise = before[:at], before[at+2:]
	} else {
		otherwise = before
	}
	if strings.ContainsAny(otherwise, ":(;") {
		return description, ""
	}
	return strings.TrimLeft(meaning+after, ",; "), otherwise
}

// fieldType is what a field takes, from the type of the field in the code: the schema of a
// text field is empty, because every value is taken as a text.
func fieldType(name string, schema *jsonschema.Schema) string {
	if kind := sourceTypes()[name+"\n"+schema.Description]; kind != "" {
		return kind
	}
	switch schema.Type {
	case "string":
		return "text"
	case "integer":
		return "whole number"
	case "array":
		return "list"
	case "":
		return "any"
	}
	return schema.Type
}

var plainTypes = map[string]string{
	"Text": "text", "string": "text", "Int": "whole number", "int": "whole number", "int64": "whole number", "Float": "number", "float64": "number",
	"Bool": "boolean", "bool": "boolean", "Duration": "duration", "RawMessage": "any", "any": "any",
}

// sourceTypes are the types of all fields of functions, by name and description.
var sourceTypes = sync.OnceValue(func() map[string]string {
	types := map[string]string{}
	err := filepath.WalkDir("../functions", func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok || field.Tag == nil {
				return true
			}
			text, _ := strconv.Unquote(field.Tag.Value)
			name, _, _ := strings.Cut(reflect.StructTag(text).Get("json"), ",")
			kind := typeWord(field.Type)
			if takes := reflect.StructTag(text).Get("takes"); takes != "" {
				kind = strings.ReplaceAll(takes, " ", " or ")
			}
			if kind != "" {
				types[name+"\n"+reflect.StructTag(text).Get("jsonschema")] = kind
			}
			return true
		})
		return nil
	})
	if err != nil {
		panic(err)
	}
	return types
})

func typeWord(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return plainTypes[e.Name]
	case *ast.SelectorExpr:
		return plainTypes[e.Sel.Name]
	case *ast.StarExpr:
		return typeWord(e.X)
	case *ast.ArrayType:
		return "list"
	case *ast.MapType, *ast.StructType:
		return "object"
	}
	return ""
}
