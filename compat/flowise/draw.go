package flowise

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// draw returns the node for a step that was added in the graph, with all fields that Flowise's
// editor sets; why is the reason if no type of node does what the step does.
func draw(w *engine.Workflow, s *engine.Step) (node any, why string) {
	var in map[string]json.RawMessage
	if s.Input != "" && json.Unmarshal([]byte(s.Input), &in) != nil {
		return nil, "its input is not a JSON object"
	}
	d := drawing{w: w, in: in, known: map[string]bool{}}
	kind, fields := "", inputs.Object(nil)
	switch s.Function {
	case "template":
		kind, fields = kindDirectReply, inputs.Of("directReplyMessage", d.text("template"))
		if string(d.take("say")) != "true" {
			return nil, `a node that only puts a text together is a Direct Reply, which says it: set "say": true`
		}
	case "api":
		kind, fields = kindHTTP, d.http()
	case "code":
		if d.text("language") != "javascript" {
			return nil, "a Custom Function is JavaScript"
		}
		kind, fields = kindCustomFunction, inputs.Of("customFunctionJavascriptFunction", d.text("code"), "customFunctionInputVariables", d.variables(), "customFunctionUpdateState", "")
	case "confirm":
		kind, fields = kindHumanInput, inputs.Of("humanInputDescriptionType", "fixed", "humanInputDescription", d.text("prompt"), "humanInputEnableFeedback", true)
		d.take("feedback")
	case "subflow", "subflow.flowise":
		kind, fields = kindExecuteFlow, d.called()
	case "calculate", "calculate.flowise":
		kind = kindTool
		fields = inputs.Of("toolAgentflowSelectedTool", "calculator", "toolInputArgs", []any{inputs.Of("inputArgName", "input", "inputArgValue", d.text("expression"))}, "toolUpdateState", "")
	case "agent", "agent.flowise":
		for i := range w.Paths {
			if p := &w.Paths[i]; p.Kind == engine.Tool && p.Source == s.ID {
				return nil, "its tools are steps, and an agent of Flowise has tools of Flowise"
			}
		}
		kind, fields = kindLLM, d.model()
	case "switch", "switch.flowise":
		kind, fields = kindCondition, d.rules()
	default:
		return nil, fmt.Sprintf("no node of Flowise does what the function %q does", s.Function)
	}
	if left := d.left(); left != "" {
		return nil, fmt.Sprintf("%s has no field for %q of its input", title(kind), left)
	}
	return drawnNode(w, s, kind, fields), ""
}

// A drawing reads the input of a step field by field.
type drawing struct {
	w     *engine.Workflow
	in    map[string]json.RawMessage
	known map[string]bool
}

func (d drawing) take(name string) json.RawMessage {
	d.known[name] = true
	return d.in[name]
}

// left is a field that nothing has read, "" for none.
func (d drawing) left() string {
	for _, name := range inputs.Names(d.in) {
		if !d.known[name] {
			return name
		}
	}
	return ""
}

// text is a field with its references as variables of Flowise.
func (d drawing) text(name string) string { return d.variablesIn(d.take(name)) }

// variablesIn is a text of an input in Flowise's spelling; what is not text is JSON.
func (d drawing) variablesIn(raw json.RawMessage) string {
	text := inputs.Spoken(raw)
	if strings.Contains(text, "@{") {
		return writeReferences(d.w, text)[0]
	}
	return text
}

func (d drawing) http() inputs.Object {
	method := d.text("method")
	if method == "" {
		method = "GET"
	}
	out := inputs.Of("method", method, "url", d.text("url"), "headers", d.pairs("headers"), "queryParams", d.pairs("params"))
	if body := d.take("body"); body != nil {
		kind := map[string]string{"raw": "raw", "multipart": "formData", "form": "xWwwFormUrlencoded"}[d.text("body_type")]
		if kind == "" {
			kind = "json"
		}
		out = out.With("bodyType", kind).With("body", d.variablesIn(body))
	}
	d.take("raise")
	d.take("status_text")
	d.take("lenient")
	return out
}

// pairs are headers or parameters, given as an object or as rows of key and value.
func (d drawing) pairs(name string) any {
	raw := d.take(name)
	if fields, err := orderedFields(raw); raw != nil && err == nil {
		rows := []any{}
		for _, f := range fields {
			rows = append(rows, inputs.Of("key", f.name, "value", d.variablesIn(f.value)))
		}
		return rows
	}
	var given []struct{ Key, Value json.RawMessage }
	if json.Unmarshal(raw, &given) != nil || len(given) == 0 {
		return ""
	}
	rows := []any{}
	for _, row := range given {
		rows = append(rows, inputs.Of("key", d.variablesIn(row.Key), "value", d.variablesIn(row.Value)))
	}
	return rows
}

// variables are those of code; the ones that all code of Flowise has are left out.
func (d drawing) variables() any {
	raw := d.take("variables")
	fields, err := orderedFields(raw)
	if raw == nil || err != nil {
		return ""
	}
	rows := []any{}
	for _, f := range fields {
		if name := strings.TrimPrefix(f.name, "$"); name != "input" && name != "vars" && name != "flow" {
			rows = append(rows, inputs.Of("variableName", name, "variableValue", d.variablesIn(f.value)))
		}
	}
	d.take("text")
	d.take("raise")
	return rows
}

func (d drawing) called() inputs.Object {
	var given map[string]json.RawMessage
	if raw := d.take("inputs"); raw != nil && json.Unmarshal(raw, &given) == nil {
		for _, name := range inputs.Names(given) {
			if name != valueQuestion {
				d.in["inputs."+name] = given[name] // which nothing reads
			}
		}
	}
	d.take("on_error")
	d.take("error_text")
	return inputs.Of("executeFlowSelectedFlow", d.text("workflow"), "executeFlowInput", d.variablesIn(given[valueQuestion]), "executeFlowOverrideConfig", "",
		"executeFlowBaseURL", "", "executeFlowReturnResponseAs", "userMessage", "executeFlowUpdateState", "")
}

// modelFields are fields of an agent that a chat model of Flowise has as well.
var modelFields = map[string]string{"temperature": "temperature", "max_tokens": "maxTokens", "top_p": "topP"}

func (d drawing) model() inputs.Object {
	config := inputs.Of("modelName", d.text("model"))
	for _, name := range []string{"temperature", "max_tokens", "top_p"} {
		if raw := d.take(name); raw != nil {
			config = config.With(modelFields[name], raw)
		}
	}
	messages := []any{}
	if system := d.text("system"); system != "" {
		messages = append(messages, inputs.Of("role", "system", "content", system))
	}
	for _, name := range []string{"prompt", "user"} {
		if user := d.text(name); user != "" {
			messages = append(messages, inputs.Of("role", "user", "content", user))
		}
	}
	d.take("directly_set_reply")
	return inputs.Of("llmModel", "chatOpenAI", "llmModelConfig", config, "llmMessages", messages, "llmEnableMemory", false, "llmReturnResponseAs", "assistantMessage", "llmUpdateState", "")
}

func (d drawing) rules() inputs.Object {
	var rules []struct {
		Type, Operator string
		Left, Right    json.RawMessage
	}
	rows := []any{}
	if json.Unmarshal(d.take("rules"), &rules) != nil {
		d.in["rules"], d.known["rules"] = nil, false
		return nil
	}
	for _, r := range rules {
		kind := conditionType(r.Type)
		rows = append(rows, inputs.Of("type", kind, "value1", d.variablesIn(r.Left), "operation", operationOf(r.Operator), "value2", d.variablesIn(r.Right)))
	}
	return inputs.Of("conditions", rows)
}

// drawnKinds are the nodes that do what a function does.
var drawnKinds = map[string]string{"template": kindDirectReply, "api": kindHTTP, "code": kindCustomFunction, "confirm": kindHumanInput, "subflow": kindExecuteFlow,
	"subflow.flowise": kindExecuteFlow, "calculate": kindTool, "calculate.flowise": kindTool, "agent": kindLLM, "agent.flowise": kindLLM, "switch": kindCondition, "switch.flowise": kindCondition}

// fieldsOf are the places below a node's data where a field that was added to its step's input may
// stand.
func fieldsOf(node gjson.Result, field string) []string {
	prefix := map[string]string{kindLLM: "llm", kindAgent: "agent", kindConditionAgent: "conditionAgent"}[node.Get("data.name").String()]
	if prefix == "" {
		return nil
	}
	switch name := modelFields[field]; {
	case name != "":
		return []string{"inputs." + prefix + "ModelConfig." + name}
	case field == "model":
		return []string{"inputs." + prefix + "ModelConfig.modelName"}
	case field == "user":
		return []string{"inputs." + prefix + "UserMessage"}
	case field == "memory_tokens":
		return []string{"inputs." + prefix + "MemoryMaxTokenLimit"}
	}
	return nil
}

// added are the labels and versions of the nodes that can be added.
var added = map[string]struct{ label, version string }{kindDirectReply: {"Direct Reply", "1.0"}, kindHTTP: {"HTTP", "1.1"}, kindCustomFunction: {"Custom Function", "1.1"},
	kindHumanInput: {"Human Input", "1.0"}, kindExecuteFlow: {"Execute Flow", "1.2"}, kindTool: {"Tool", "1.2"}, kindLLM: {"LLM", "1.1"}, kindCondition: {"Condition", "1.0"}}

func title(kind string) string { return added[kind].label }

// nested are the fields of the rows of a list, which accept variables each.
var nested = map[string][]string{"headers": {"key", "value"}, "queryParams": {"key", "value"}, "customFunctionInputVariables": {"variableName", "variableValue"},
	"toolInputArgs": {"inputArgName", "inputArgValue"}, "llmMessages": {"role", "content"}, "conditions": {"type", "value1", "operation", "value2"}}

// drawnNode is the whole node: parameters as of another node of its kind in the flow, else those
// that matter at run time; anchors, outputs and place.
func drawnNode(w *engine.Workflow, s *engine.Step, kind string, fields inputs.Object) inputs.Object {
	label := s.Name
	if label == "" {
		label = s.ID
	}
	x, y := 0.0, 0.0
	if s.X != nil && s.Y != nil {
		x, y = *s.X, *s.Y
	}
	params := []any{}
	for _, f := range fields {
		param := inputs.Of("label", f.Name, "name", f.Name, "type", "string", "acceptVariable", f.Name != "customFunctionJavascriptFunction")
		if rows := nested[f.Name]; rows != nil {
			list := []any{}
			for _, name := range rows {
				list = append(list, inputs.Of("label", name, "name", name, "type", "string", "acceptVariable", true))
			}
			param = inputs.Of("label", f.Name, "name", f.Name, "type", "array", "acceptVariable", true, "array", list)
		}
		params = append(params, param)
	}
	anchors := []any{inputs.Of("id", s.ID+"-output-"+kind, "label", title(kind), "name", kind)}
	switch kind {
	case kindHumanInput:
		anchors = []any{inputs.Of("id", s.ID+"-output-0", "label", "Proceed", "name", "0"), inputs.Of("id", s.ID+"-output-1", "label", "Reject", "name", "1")}
	case kindCondition:
		rows, _ := fields[0].Value.([]any)
		anchors = nil
		for i := range len(rows) + 1 {
			anchors = append(anchors, inputs.Of("id", fmt.Sprintf("%s-output-%d", s.ID, i), "label", fmt.Sprint(i), "name", fmt.Sprint(i)))
		}
	}
	data := inputs.Of("id", s.ID, "label", label, "name", kind, "version", json.RawMessage(added[kind].version), "type", strings.TrimSuffix(kind, "Agentflow"), "color", colors[kind],
		"category", "Agent Flows", "baseClasses", []any{}, "inputParams", params, "inputAnchors", []any{}, "inputs", fields, "outputAnchors", anchors, "outputs", inputs.Object{}, "selected", false)
	return inputs.Of("id", s.ID, "type", "agentFlow", "position", inputs.Of("x", x, "y", y), "data", data)
}
