package flowise

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/tidwall/sjson"
)

// Records that Flowise keeps of a node in another shape than our outputs have, in JavaScript, as a
// function of our output. They are computed only where a variable names them.
const (
	usedToolsRecord = `({usedTools: (v.used_tools || []).map(u => u.error ? {tool: u.tool, toolInput: u.input, toolOutput: u.output, error: u.error} : {tool: u.tool, toolInput: u.input, toolOutput: u.output})})`
	usageRecord     = `({usageMetadata: {total_tokens: v.tokens}})`
	httpRecordCode  = `({http: {data: v.response, status: v.status_code, statusText: v.status_text, headers: v.headers && Object.fromEntries(Object.entries(v.headers).map(([k, x]) => [k.toLowerCase(), x]))}})`
)

// recordPath is the place of a path into such a record: {{agent.output.usedTools[0].toolOutput}},
// {{http.output.http}}. Lists and objects are JSON text, as Flowise inserts them.
func (v *values) recordPath(n, from *node, path string) (at string, ok bool) {
	parts := lodashPath(path)
	if len(parts) == 0 {
		return "", false
	}
	record := ""
	switch {
	case from.kind() == kindAgent && parts[0] == "usedTools":
		record = usedToolsRecord
		v.lists[from.ID] = true
	case (from.kind() == kindAgent || from.kind() == kindLLM) && parts[0] == "usageMetadata":
		record = usageRecord
	case from.kind() == kindHTTP && parts[0] == "http":
		record = httpRecordCode
	case parts[0] == "conditions" && (from.decides()):
		record = conditionsRecord(from)
	default:
		return "", false
	}
	variable := "$" + fieldOf(from.ID)
	code := fmt.Sprintf(`(v => { if (!v) return null; const found = find(%s, %s, %s); return typeof found === 'object' && found !== null ? JSON.stringify(found) : found; })(%s)`,
		record, inputs.Encode(path), inputs.Encode(parts), variable)
	at = v.need(n, fieldOf(from.ID+".output."+path), code, nil)
	all := v.needs[n.ID]
	all.finds, all.variables = true, all.variables.Set(variable, inputs.RefOr(from.ID))
	return at, true
}

// listCalls makes agents list their calls whose usedTools a variable names.
func (v *values) listCalls() {
	for i := range v.w.Steps {
		s := &v.w.Steps[i]
		if !v.lists[s.ID] || s.Function != "agent.flowise" {
			continue
		}
		if text, err := sjson.SetRaw(s.Input, "list_calls", "true"); err == nil && json.Valid([]byte(text)) {
			s.Input = text
		}
	}
}

// conditionsRecord is {conditions: [...]} of a node that decides: which of its branches was chosen.
// The values that a condition compared are not part of our output.
func conditionsRecord(n *node) string {
	list := []any{}
	switch n.kind() {
	case kindHumanInput:
		for _, kind := range []string{"proceed", "reject"} {
			list = append(list, inputs.Of("type", kind, "startNodeId", n.ID))
		}
		feedback := "undefined"
		if n.Data.Inputs.flag("humanInputEnableFeedback") {
			feedback = "v.feedback || undefined"
		}
		return fmt.Sprintf("({conditions: %s.map((o, i) => ({...o, feedback: %s, isFulfilled: (i === 0) === !!v.confirmed}))})", inputs.Encode(list), feedback)
	case kindConditionAgent:
		rows, _ := n.Data.Inputs.rows("conditionAgentScenarios")
		for _, row := range rows {
			list = append(list, inputs.Of("output", row.text("scenario")))
		}
		return fmt.Sprintf("({conditions: %s.map((o, i) => ({...o, isFulfilled: i === v.index}))})", inputs.Encode(list))
	}
	rows, _ := n.Data.Inputs.rows("conditions")
	for _, row := range rows {
		list = append(list, inputs.Of("type", conditionType(row.text("type")), "operation", row.text("operation")))
	}
	return fmt.Sprintf("({conditions: %s.map((o, i) => v.matched && i === v.index ? {...o, isFulfilled: true} : o).concat([{type: 'string', value1: '', operation: 'equal', value2: '', isFulfilled: !v.matched}])})", inputs.Encode(list))
}
