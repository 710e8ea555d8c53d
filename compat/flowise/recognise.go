package flowise

import (
	"encoding/json"
	"strings"
)

// Recognise reports whether a JSON file looks like a document of AgentFlow V2, or like a
// chatflow that holds one.
func Recognise(_ string, src []byte) bool {
	var f struct {
		Nodes    []nodeHeader `json:"nodes"`
		FlowData any          `json:"flowData"`
		Type     string       `json:"type"`
	}
	if json.Unmarshal(src, &f) != nil {
		return !strings.HasPrefix(strings.TrimSpace(string(src)), "[") && seemsSo(string(src)) // a list holds documents and is none
	}
	if text, ok := f.FlowData.(string); ok {
		return f.Type == "AGENTFLOW" || seemsSo(text)
	}
	if f.FlowData != nil {
		return f.Type == "AGENTFLOW" || seemsSo(string(src))
	}
	for _, n := range f.Nodes {
		if n.Type == "agentFlow" || n.Type == "iteration" || n.Type == "stickyNote" || strings.HasSuffix(n.Data.Name, "Agentflow") {
			return true
		}
	}
	return false
}

// A nodeHeader has the fields of a node by which a flow is recognised.
type nodeHeader struct {
	Type string `json:"type"`
	Data struct {
		Name string `json:"name"`
	} `json:"data"`
}

// seemsSo recognises the text of a flow that is not valid JSON.
func seemsSo(text string) bool {
	return strings.Contains(text, `"nodes"`) && (strings.Contains(text, `Agentflow"`) || strings.Contains(text, `"agentFlow"`))
}
