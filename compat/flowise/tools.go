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
func (c *compiler) agentTools(n *node) {
	in := n.Data.Inputs
	rows, _ := in.rows("agentTools")
	order := 0.0
	for _, row := range rows {
		component := row.text("agentSelectedTool")
		if component == "" {
			continue
		}
		step, tool := c.component(n, component, row.object("agentSelectedToolConfig"))
		step.Approval = row.flag("agentSelectedToolRequiresHumanInput") && n.parent == nil
		c.tool(n, step, tool, &order)
	}
	for _, store := range []struct{ field, name string }{{"agentKnowledgeDocumentStores", "documentStore"}, {"agentKnowledgeVSEmbeddings", "knowledgeName"}} {
		rows, _ := in.rows(store.field)
		for _, row := range rows {
			c.store(n, row, store.name, &order)
		}
	}
	for _, field := range []string{"agentToolsBuiltInOpenAI", "agentToolsBuiltInGemini", "agentToolsBuiltInAnthropic"} {
		if rows, _ := in.rows(field); len(rows) > 0 || strings.Contains(in.text(field), "[") && in.text(field) != "[]" {
			c.note(n, "vendor_tool", "the provider's own tools (%s) are not called here", field)
		}
	}
}

// A callable is how a model sees a tool.
type callable struct {
	name, description string
	parameters        any
	direct            bool
}

func (c *compiler) tool(n *node, s engine.Step, t callable, order *float64) {
	s.ID, s.Extra = c.helper(n.ID+"-"+toolID(t.name)), generated(n)
	c.w.Steps = append(c.w.Steps, s)
	at := *order
	*order++
	extra := generated(nil)
	extra["text"] = true // of the output is what the model reads
	if t.parameters != nil {
		extra["parameters"] = inputs.Encode(t.parameters)
	}
	if t.direct {
		extra["return_direct"] = true
	}
	c.w.Paths = append(c.w.Paths, engine.Path{Kind: engine.Tool, Source: n.ID, Target: s.ID, Name: t.name, Description: t.description, Priority: &at, Extra: extra})
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
func (c *compiler) store(n *node, row settings, field string, order *float64) {
	id, name, _ := strings.Cut(row.text(field), ":")
	if name == "" {
		name = id
	}
	description := row.text("docStoreDescription")
	if description == "" {
		description = row.text("knowledgeDescription")
	}
	c.needsService(n, "documentStore", "the document store "+name)
	c.tool(n, engine.Step{Name: name, Function: remotePrefix + "documentStore", Input: inputs.Encode(inputs.Of("store", inputs.Literal(id)))},
		callable{name: toolID(strings.ToLower(name)), description: description, parameters: oneText("input", "what to look for")}, order)
}

func oneText(name, about string) inputs.Object {
	return inputs.Of("type", "object", "properties", inputs.Of(name, inputs.Of("type", "string", "description", about)), "required", []any{name})
}

// component is the step that stands for a tool component, and how a model sees it.
func (c *compiler) component(n *node, component string, config settings) (engine.Step, callable) {
	switch component {
	case "calculator":
		return engine.Step{Name: "Calculator", Function: "calculate.flowise", Input: inputs.Encode(inputs.Of("on_error_text", calculatorFailed))},
			callable{name: "calculator", description: "Calculates the value of an arithmetic expression.", parameters: oneText("input", "the expression")}
	case "currentDateTime":
		return javaScript("", "Current date and time", "const now = new Date();\nreturn {text: JSON.stringify({date: now.toISOString().slice(0, 10), dateTime: now.toISOString()})};", inputs.Of()),
			callable{name: "current_date_time", description: "Tells the current date and time.", parameters: inputs.Of("type", "object", "properties", inputs.Of())}
	case "requestsGet", "requestsPost", "requestsPut", "requestsDelete":
		return c.request(n, component, config)
	case "customMCP", "customMcpServerTool":
		c.note(n, "needs_service", "the MCP server of its tool %s is not started from a document: configure it as a server of this engine and make the step mcp.call", component)
	default:
		c.needsService(n, component, "its tool "+component)
	}
	return engine.Step{Name: component, Function: remotePrefix + component, Input: inputs.Encode(inputs.Of("config", inputs.Of("@literal", withoutKeys(config))))},
		callable{name: toolID(component), description: "The tool " + component + " of Flowise.", parameters: inputs.Of("type", "object", "properties", inputs.Of("input", inputs.Of("type", "string")))}
}

// needsService says that a step stands for something that is not here.
func (c *compiler) needsService(n *node, component, what string) {
	c.note(n, "needs_service", "%s needs a service of its vendor: serve %s%s as a remote function, or replace the step", what, remotePrefix, component)
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
func (c *compiler) request(n *node, component string, config settings) (engine.Step, callable) {
	method := strings.TrimPrefix(component, "requests")
	get := func(name string) string { return config.text(component + name) }
	input := inputs.Of("method", strings.ToUpper(method), "text", true)
	properties := inputs.Of()
	if address := get("Url"); address != "" {
		input = input.With("url", c.template(n, address).value())
	} else {
		properties = properties.With("url", inputs.Of("type", "string", "description", "the address"))
	}
	if headers := c.toolHeaders(n, config, component+"Headers"); len(headers) > 0 {
		input = input.With("headers", headers)
	}
	switch body := get("Body"); {
	case method == "Get":
		properties = properties.With("params", inputs.Of("type", "object", "description", "of the query"))
	case method != "Delete" && body != "":
		input = append(input, inputs.Of("body_type", "json", "lenient", true, "body", c.template(n, body).value())...)
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
func (c *compiler) toolHeaders(n *node, config settings, name string) inputs.Object {
	out := inputs.Of()
	if headers := config.object(name); headers != nil {
		for _, key := range sortedKeys(headers) {
			out = out.With(key, c.template(n, headers.text(key)).value())
		}
		return out
	}
	rows, _ := config.rows(name)
	for _, row := range rows {
		if key := row.text("key"); key != "" {
			out = out.Set(key, c.template(n, row.text("value")).value())
		}
	}
	return out
}

// toolNode runs one tool with given arguments.
func (c *compiler) toolNode(s *engine.Step, n *node) {
	in := n.Data.Inputs
	component := in.text("toolAgentflowSelectedTool")
	rows, _ := in.rows("toolInputArgs")
	arguments := inputs.Of()
	for _, row := range rows {
		if name := row.text("inputArgName"); name != "" {
			arguments = arguments.Set(name, c.argument(n, row))
		}
	}
	step, _ := c.component(n, component, in.object("toolAgentflowSelectedToolConfig"))
	if component == "" {
		c.note(n, "tool_missing", "no tool is chosen")
		step = engine.Step{Function: remotePrefix + "tool", Input: "{}"}
	}
	s.Function, s.Input = step.Function, c.merged(step.Input, arguments)
}

// merged lays arguments over the input of a tool's step.
func (c *compiler) merged(input string, arguments inputs.Object) string {
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
func (c *compiler) argument(n *node, row settings) any {
	value := c.rowValue(n, "toolInputArgs", "inputArgValue", row)
	plain, ok := value.(string)
	switch {
	case !ok || strings.Contains(plain, "@{"):
		return inputs.Ref(c.read(n, row.text("inputArgName"), value))
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
func (c *compiler) retriever(s *engine.Step, n *node) {
	in := n.Data.Inputs
	rows, _ := in.rows("retrieverKnowledgeDocumentStores")
	stores := []any{}
	for _, row := range rows {
		stores = append(stores, inputs.Literal(row.text("documentStore")))
	}
	query := c.setting(n, in, "retrieverQuery")
	if query == nil {
		query = text{ref(valueInput, "")}
	}
	format := in.text("outputFormat")
	if format == "" {
		format = "text"
	}
	c.needsService(n, "retriever", "its search in document stores")
	s.Function = remotePrefix + "retriever"
	s.Input = inputs.Encode(inputs.Of("stores", stores, "query", query.value(), "format", format))
}
