package flowise

import (
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// A chat follows what the nodes of one level say to each other: the first model node brings
// the question in.
type chat struct {
	question string
	spoken   bool
}

func chatOf(r *recorder) *chat {
	c := &chat{}
	for i := range r.Executions {
		x := &r.Executions[i]
		switch n := r.graph.nodes[x.Step]; {
		case n == nil:
		case n.name == kindStart && c.question == "":
			c.question = startedWith(gjson.ParseBytes(x.Output))
		}
	}
	return c
}

// startedWith is what a person began a run with: the question, else the form as lines.
func startedWith(out gjson.Result) string {
	if question := out.Get("question"); question.String() != "" {
		return question.String()
	}
	return out.Get("form").String()
}

// after is what a node added to the chat, nil for nothing.
func (c *chat) after(v *shownVisit, content string) []ChatMessage {
	name := strings.ReplaceAll(strings.ToLower(v.node.label), " ", "_")
	var out []ChatMessage
	switch v.node.name {
	case kindLLM, kindAgent:
		if v.resumed {
			c.question, c.spoken = "", false
		}
		out = append(c.asked(), ChatMessage{Role: c.role(v.node), Content: content, Name: name})
	case kindConditionAgent:
		out = c.asked()
	case kindExecuteFlow:
		if v.question != nil {
			return nil
		}
		if said := gjson.GetBytes(v.x.Input, "inputs.question").String(); said != "" && !c.spoken {
			out = append(out, ChatMessage{Role: "user", Content: said})
		}
		out = append(out, ChatMessage{Role: c.role(v.node), Content: content, Name: name})
	case kindHumanInput:
		out = c.asking(v)
	}
	if len(out) > 0 {
		c.spoken = true
	}
	return out
}

// asked is the question, the first time.
func (c *chat) asked() []ChatMessage {
	if c.spoken || strings.TrimSpace(c.question) == "" {
		return nil
	}
	return []ChatMessage{{Role: "user", Content: c.question}}
}

// role is whose words a node's answer counts as.
func (c *chat) role(n *shownNode) string {
	for _, name := range []string{"llmReturnResponseAs", "agentReturnResponseAs", "executeFlowReturnResponseAs"} {
		if n.inputs.Get(name).String() == "assistantMessage" {
			return "assistant"
		}
	}
	return "user"
}

// asking is what a human input says, or what the person says to it. From then on the chat
// begins anew: what was said before counts as the past.
func (c *chat) asking(v *shownVisit) []ChatMessage {
	if v.question != nil {
		return []ChatMessage{{Role: "assistant", Content: v.question.Prompt}}
	}
	c.question, c.spoken = "", false
	if v.x.Status != engine.StatusAnswered {
		return nil
	}
	if remark := remarkOf(gjson.ParseBytes(v.x.Output)); remark != "" {
		return []ChatMessage{{Role: "user", Content: remark}}
	}
	return nil
}
