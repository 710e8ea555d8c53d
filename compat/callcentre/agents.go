package callcentre

import (
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// agentTime is the default timeout of an agent's model call.
const agentTime = "30s"

// retry is the retry policy of a model call with a transient failure. Tools of earlier rounds
// do not run again.
const retry = `{"max_attempts":3,"initial_interval":"1s","backoff":2,"max_interval":"5s"}`

// departmentRounds is the maximal number of rounds with tool calls in one consultation of a
// department. The next round has no tools, and its text is the answer.
const departmentRounds = 5

// defaultQuery is the question to a department if the router's call contains none.
const defaultQuery = "Provide status/instructions."

// Error codes of the call centre.
const (
	codeRoundLimit  = "AGENT_TURN_LIMIT"
	codeEmptyAnswer = "EMPTY_SESSION_RESPONSE"
	codeNoTool      = "TOOL_NOT_FOUND"
)

// voiceRules stand before every router's own instructions.
const voiceRules = `You speak with a caller on the phone. Speak naturally and briefly, in spoken language without lists or markup.
You are the only one the caller hears: never say that you hand the call over, transfer it or ask a colleague. Use your tools silently and say what they told you.
Where a tool's answer begins with CLARIFY: it needs to know what follows: call it again with the answer from the conversation, or ask the caller. Where it begins with ASK_USER: ask the caller what follows.
Where a tool answers with an error, say in plain words what you could not find out, and go on.`

// readingRules are the default instructions of a department.
const readingRules = `You advise the agent who speaks with a caller. Answer with what to tell the caller, in one or two sentences; you are never heard yourself.
A tool answers with {"result": {"success", "data", "summary", "structure", "error", "errorCode"}}. The data field holds what was found: read all of it. Where success is false, error says why: try another tool, or say what could not be found out.
When the question to you is not clear, answer with CLARIFY: and what you need to know. When only the caller can know it, answer with ASK_USER: and the question to the caller.`

// router sets the function and input of the router's step. The caller gets an answer even if
// the router fails.
func (c *compiler) router(s *engine.Step, n *node) {
	s.Function, s.OnError, s.Timeout, s.Retry = "agent.callcentre", engine.OnErrorContinue, timeout(n), retry
	system := voiceRules
	if n.Data.Style != "" {
		system += "\nYour style is " + n.Data.Style + "."
	}
	if n.Data.Language != "" {
		system += "\nSpeak " + n.Data.Language + " unless the caller speaks another language."
	}
	if n.Data.SystemPrompt != "" {
		system += "\n\n" + n.Data.SystemPrompt
	}
	in := inputs.Of(
		"system", inputs.Literal(system),
		"prompt", inputs.Ref(c.ask+".response")+"|"+inputs.RefOr(givenPrompt),
		"hear", true, "include_history", true, "directly_set_reply", true, "parallel", false,
		"check_arguments", false, "unknown_tool_error", codeNoTool)
	if g := n.Data.Guardrails; len(g.BannedPhrases) > 0 {
		phrases := make([]any, len(g.BannedPhrases))
		for i, phrase := range g.BannedPhrases {
			phrases[i] = inputs.Literal(phrase)
		}
		in = in.With("guardrails", inputs.Of("banned_phrases", phrases, "fallback", inputs.Literal(or(g.FallbackResponse, sorryText))))
	}
	s.Input = inputs.Encode(in)
	c.offers(n)
}

// department fills in the step of a department.
func (c *compiler) department(s *engine.Step, n *node) {
	s.Function, s.Timeout, s.Retry, s.Description = "agent.callcentre", timeout(n), retry, n.Data.Description
	in := inputs.Of(
		"system", inputs.Literal(or(n.Data.SystemPrompt, readingRules)),
		"query", defaultQuery,
		"parallel", false, "check_arguments", false, "marks", true,
		"unknown_tool_error", codeNoTool, "max_rounds", departmentRounds, "on_limit", "answer", "round_limit_error", codeRoundLimit, "empty_error", codeEmptyAnswer)
	if m := strings.TrimSpace(n.Data.Model); m != "" {
		in = in.With("profile", inputs.Literal(m)).With("profile_optional", true)
	}
	s.Input = inputs.Encode(in)
	c.offers(n)
}

// tool sets the function and input of a tool's step, which passes its arguments to its
// integration.
func (c *compiler) tool(s *engine.Step, n *node) {
	s.Function, s.Input, s.Description = "integration", "{}", n.Data.Description
	if n.Data.IsGoal {
		s.Extra[propertyGoal] = or(n.Data.SuccessCriteria, "it ran")
	}
	for _, e := range c.graph.out[n.ID] {
		if n.reads != nil && e.Target == n.reads.ID {
			c.w.Paths = append(c.w.Paths, c.path(e))
		}
	}
}

// timeout is how long one model call of an agent may take.
func timeout(n *node) string {
	if n.Data.Timeout > 0 {
		return fmt.Sprintf("%dms", int64(n.Data.Timeout))
	}
	return agentTime
}
