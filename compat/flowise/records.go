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
	httpRecordCode  = `({http: {data: v.response, status: v.status_code, statusText: v.status_text, headers: Object.fromEntries(Object.entries(v.headers || {}).map(([k, x]) => [k.toLowerCase(), x]))}})`
)

// recordPath is the place of a path into such a record: {{agent.output.usedTools[0].toolOutput}},
// {{http.output.http}}. Lists and objects are JSON text, as Flowise inserts them.
func (c *compiler) recordPath(n, from *node, path string) (at string, ok bool) {
	parts := lodashPath(path)
	if len(parts) == 0 {
		return "", false
	}
	record := ""
	switch {
	case from.kind() == kindAgent && parts[0] == "usedTools":
		record = usedToolsRecord
		c.lists[from.ID] = true
	case (from.kind() == kindAgent || from.kind() == kindLLM) && parts[0] == "usageMetadata":
		record = usageRecord
	case from.kind() == kindHTTP && parts[0] == "http":
		record = httpRecordCode
	default:
		return "", false
	}
	variable := "$" + fieldOf(from.ID)
	code := fmt.Sprintf(`(v => { if (!v) return null; const found = find(%s, %s, %s); return typeof found === 'object' && found !== null ? JSON.stringify(found) : found; })(%s)`,
		record, inputs.Encode(path), inputs.Encode(parts), variable)
	at = c.need(n, fieldOf(from.ID+".output."+path), code, nil)
	all := c.needs[n.ID]
	all.finds, all.variables = true, all.variables.Set(variable, inputs.RefOr(from.ID))
	return at, true
}

// listCalls makes agents list their calls whose usedTools a variable names.
func (c *compiler) listCalls() {
	for i := range c.w.Steps {
		s := &c.w.Steps[i]
		if !c.lists[s.ID] || s.Function != "agent" {
			continue
		}
		if text, err := sjson.SetRaw(s.Input, "list_calls", "true"); err == nil && json.Valid([]byte(text)) {
			s.Input = text
		}
	}
}
