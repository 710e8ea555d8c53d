package flowise

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// remotePrefix is what functions are called that stand for components of Flowise which need a
// service or code of the vendor: people serve them as remote functions, or replace the step.
const remotePrefix = "flowise."

// calculatorFailed is what the calculator answers to nonsense.
const calculatorFailed = "I don't know how to do that."

// agentTools draws the paths from an agent to the steps of its tools.
func (t *tools) agentTools(n *node) {
	in := n.Data.Inputs
	rows, _ := in.rows("agentTools")
	order := 0.0
	for _, row := range rows {
		component := row.text("agentSelectedTool")
		if component == "" {
			continue
		}
		step, tool := t.component(n, component, row.object("agentSelectedToolConfig"))
		step.Approval = row.flag("agentSelectedToolRequiresHumanInput") && n.parent == nil
		t.tool(n, step, tool, &order)
	}
	for _, store := range []struct{ field, name string }{{"agentKnowledgeDocumentStores", "documentStore"}, {"agentKnowledgeVSEmbeddings", "knowledgeName"}} {
		rows, _ := in.rows(store.field)
		for _, row := range rows {
			t.store(n, row, store.name, &order)
		}
	}
	for _, field := range []string{"agentToolsBuiltInOpenAI", "agentToolsBuiltInGemini", "agentToolsBuiltInAnthropic"} {
		if rows, _ := in.rows(field); len(rows) > 0 || strings.Contains(in.text(field), "[") && in.text(field) != "[]" {
			t.note(n, "vendor_tool", "the provider's own tools (%s) are not called here", field)
		}
	}
}

// A callable is how a model sees a tool.
type callable struct {
	name, description string
	parameters        any
	direct            bool
}

func (t *tools) tool(n *node, s engine.Step, called callable, order *float64) {
	s.ID, s.Extra = t.helper(n.ID+"-"+toolID(called.name)), generated(n)
	t.w.Steps = append(t.w.Steps, s)
	at := *order
	*order++
	extra := generated(nil)
	extra["text"] = true // of the output is what the model reads
	if called.parameters != nil {
		extra["parameters"] = inputs.Encode(called.parameters)
	}
	if called.direct {
		extra["return_direct"] = true
	}
	t.w.Paths = append(t.w.Paths, engine.Path{Kind: engine.Tool, Source: n.ID, Target: s.ID, Name: called.name, Description: called.description, Priority: &at, Extra: extra})
}

// toolID makes a name one that references can name.
func toolID(name string) string {
	return strings.Map(func(r rune) rune {
		if referable.MatchString(string(r)) {
			return r
		}
		return '_'
	}, name)
}

// store is a document store an agent may search.
func (t *tools) store(n *node, row settings, field string, order *float64) {
	id, name, _ := strings.Cut(row.text(field), ":")
	if name == "" {
		name = id
	}
	description := row.text("docStoreDescription")
	if description == "" {
		description = row.text("knowledgeDescription")
	}
	t.needsService(n, "documentStore", "the document store "+name)
	t.tool(n, engine.Step{Name: name, Function: remotePrefix + "documentStore", Input: inputs.Encode(inputs.Of("store", inputs.Literal(id)))},
		callable{name: toolID(strings.ToLower(name)), description: description, parameters: oneText("input", "what to look for")}, order)
}

func oneText(name, about string) inputs.Object {
	return inputs.Of("type", "object", "properties", inputs.Of(name, inputs.Of("type", "string", "description", about)), "required", []any{name})
}

// component is the step that stands for a tool component, and how a model sees it.
func (t *tools) component(n *node, component string, config settings) (engine.Step, callable) {
	switch component {
	case "calculator":
		return engine.Step{Name: "Calculator", Function: "calculate.flowise", Input: inputs.Encode(inputs.Of("on_error_text", calculatorFailed))},
			callable{name: "calculator", description: "Calculates the value of an arithmetic expression.", parameters: oneText("input", "the expression")}
	case "currentDateTime":
		return javaScript("", "Current date and time", "const now = new Date();\nreturn {text: JSON.stringify({date: now.toISOString().slice(0, 10), dateTime: now.toISOString()})};", inputs.Of()),
			callable{name: "current_date_time", description: "Tells the current date and time.", parameters: inputs.Of("type", "object", "properties", inputs.Of())}
	case "requestsGet", "requestsPost", "requestsPut", "requestsDelete":
		return t.request(n, component, config)
	case "customMCP", "customMcpServerTool":
		t.note(n, "needs_service", "the MCP server of its tool %s is not started from a document: configure it as a server of this engine and make the step mcp.call", component)
	default:
		t.needsService(n, component, "its tool "+component)
	}
	return engine.Step{Name: component, Function: remotePrefix + component, Input: inputs.Encode(inputs.Of("config", inputs.Of("@literal", withoutKeys(config))))},
		callable{name: toolID(component), description: "The tool " + component + " of Flowise.", parameters: inputs.Of("type", "object", "properties", inputs.Of("input", inputs.Of("type", "string")))}
}

// needsService says that a step stands for something that is not here.
func (t *tools) needsService(n *node, component, what string) {
	t.note(n, "needs_service", "%s needs a service of its vendor: serve %s%s as a remote function, or replace the step", what, remotePrefix, component)
}

// withoutKeys is a component's configuration without its credential.
func withoutKeys(config settings) any {
	out := inputs.Of()
	for _, name := range sortedKeys(config) {
		if value := config[name]; name != "credential" && textOf(value) != "" || len(value) > 0 && (value[0] == '{' || value[0] == '[') {
			out = out.With(name, value)
		}
	}
	return out
}

// request is a tool that calls an address.
func (t *tools) request(n *node, component string, config settings) (engine.Step, callable) {
	method := strings.TrimPrefix(component, "requests")
	get := func(name string) string { return config.text(component + name) }
	input := inputs.Of("method", strings.ToUpper(method), "text", true)
	properties := inputs.Of()
	if address := get("Url"); address != "" {
		input = input.With("url", t.template(n, address).value())
	} else {
		properties = properties.With("url", inputs.Of("type", "string", "description", "the address"))
	}
	if headers := t.toolHeaders(n, config, component+"Headers"); len(headers) > 0 {
		input = input.With("headers", headers)
	}
	switch body := get("Body"); {
	case method == "Get":
		properties = properties.With("params", inputs.Of("type", "object", "description", "of the query"))
	case method != "Delete" && body != "":
		input = append(input, inputs.Of("body_type", "json", "lenient", true, "body", t.template(n, body).value())...)
	case method != "Delete":
		properties = properties.With("body", inputs.Of("type", "object", "description", "sent as JSON"))
	}
	name, about := get("Name"), get("Description")
	if name == "" {
		name = "requests_" + strings.ToLower(method)
	}
	if about == "" {
		about = "Makes an HTTP " + strings.ToUpper(method) + " request."
	}
	return engine.Step{Name: name, Function: "api", Input: inputs.Encode(input)},
		callable{name: toolID(name), description: about, parameters: inputs.Of("type", "object", "properties", properties)}
}

// toolHeaders are the headers a tool sends, given as an object, its JSON text or rows.
func (t *tools) toolHeaders(n *node, config settings, name string) inputs.Object {
	out := inputs.Of()
	if headers := config.object(name); headers != nil {
		for _, key := range sortedKeys(headers) {
			out = out.With(key, t.template(n, headers.text(key)).value())
		}
		return out
	}
	rows, _ := config.rows(name)
	for _, row := range rows {
		if key := row.text("key"); key != "" {
			out = out.Set(key, t.template(n, row.text("value")).value())
		}
	}
	return out
}

// toolNode runs one tool with given arguments.
func (t *tools) toolNode(s *engine.Step, n *node) {
	in := n.Data.Inputs
	component := in.text("toolAgentflowSelectedTool")
	rows, _ := in.rows("toolInputArgs")
	arguments := inputs.Of()
	for _, row := range rows {
		if name := row.text("inputArgName"); name != "" {
			arguments = arguments.Set(name, t.argument(n, row))
		}
	}
	step, _ := t.component(n, component, in.object("toolAgentflowSelectedToolConfig"))
	if component == "" {
		t.note(n, "tool_missing", "no tool is chosen")
		step = engine.Step{Function: remotePrefix + "tool", Input: "{}"}
	}
	s.Function, s.Input = step.Function, t.merged(step.Input, arguments)
}

// merged lays arguments over the input of a tool's step.
func (t *tools) merged(input string, arguments inputs.Object) string {
	fields, err := orderedFields(json.RawMessage(input))
	if err != nil {
		return inputs.Encode(arguments)
	}
	out := inputs.Of()
	for _, f := range fields {
		out = out.With(f.name, f.value)
	}
	for _, a := range arguments {
		out = out.Set(a.Name, a.Value)
	}
	return inputs.Encode(out)
}

// argument is a value of a tool's call: a text that is JSON, perhaps as an editor has escaped
// it, is what it says. One with variables is read when they have their values.
func (t *tools) argument(n *node, row settings) any {
	value := t.rowValue(n, "toolInputArgs", "inputArgValue", row)
	plain, ok := value.(string)
	switch {
	case !ok || strings.Contains(plain, "@{"):
		return inputs.Ref(t.read(n, row.text("inputArgName"), value))
	case plain == "":
		return value
	}
	for _, text := range []string{plain, unescaped.Replace(plain)} {
		if (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text)) {
			return inputs.Of("@literal", json.RawMessage(text))
		}
	}
	return value
}

// unescaped takes the backslashes away that editors of rich text put before marks.
var unescaped = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\[`, "[", `\]`, "]", `\{`, "{", `\}`, "}")

// retriever searches document stores.
func (t *tools) retriever(s *engine.Step, n *node) {
	in := n.Data.Inputs
	rows, _ := in.rows("retrieverKnowledgeDocumentStores")
	stores := []any{}
	for _, row := range rows {
		stores = append(stores, inputs.Literal(row.text("documentStore")))
	}
	query := t.setting(n, in, "retrieverQuery")
	if query == nil {
		query = text{ref(valueInput, "")}
	}
	format := in.text("outputFormat")
	if format == "" {
		format = "text"
	}
	t.needsService(n, "retriever", "its search in document stores")
	s.Function = remotePrefix + "retriever"
	s.Input = inputs.Encode(inputs.Of("stores", stores, "query", query.value(), "format", format))
}
