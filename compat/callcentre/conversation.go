package callcentre

import (
	"fmt"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// givenPrompt is the first turn of a caller that a session was started with.
const givenPrompt = "initial.prompt"

// sorryText is said when the router itself cannot answer and the graph gives no text for it.
const sorryText = "I am sorry, something went wrong on our side. Could you say that again?"

// converse generates the conversation around the router: a greeting if the router speaks
// first, then the caller's turn, the router's reply, and back. A session started with a prompt
// begins with that turn; an empty answer ends the call.
func (c *compiler) converse(router *node) {
	c.used[engine.DefaultEntry] = true
	c.add(engine.Step{ID: engine.DefaultEntry, Name: "Call", Extra: generated()})
	from := engine.DefaultEntry
	if d := router.Data; d.SpeaksFirst && d.FirstSentence != "" {
		greeting := c.helper(router.ID + "-greeting")
		c.add(engine.Step{ID: greeting, Name: "Greeting", Function: "utils.reply.reply", Extra: generated(),
			Input: inputs.Encode(inputs.Of("message", inputs.Literal(d.FirstSentence)))})
		c.link(from, greeting, nil, false)
		from = greeting
	}
	ask, sorry := c.helper(router.ID+"-caller"), c.helper(router.ID+"-sorry")
	c.ask = ask
	c.add(engine.Step{ID: ask, Name: "Caller", Function: "utils.request.request", Extra: generated(), Input: "{}"})
	c.add(engine.Step{ID: sorry, Name: "Apology", Function: "utils.reply.reply", Extra: generated(),
		Input: inputs.Encode(inputs.Of("message", inputs.Literal(or(router.Data.Guardrails.FallbackResponse, sorryText))))})
	failed := inputs.Ref(router.ID + ".error")
	c.link(from, router.ID, inputs.Of("true", inputs.RefOr(givenPrompt)), false)
	c.link(from, ask, inputs.Of("false", inputs.RefOr(givenPrompt)), false)
	c.link(ask, router.ID, inputs.Of("true", inputs.Ref(ask+".response")), false)
	c.link(router.ID, ask, inputs.Of("false", failed), true)
	c.link(router.ID, sorry, inputs.Of("true", failed), false)
	c.link(sorry, ask, nil, true)
}

// helper is a step id that nothing has yet.
func (c *compiler) helper(id string) string {
	name := id
	for n := 2; c.used[name]; n++ {
		name = fmt.Sprintf("%s-%d", id, n)
	}
	c.used[name] = true
	return name
}

// link draws a path of the conversation.
func (c *compiler) link(from, to string, condition any, back bool) {
	p := engine.Path{Kind: engine.Next, Source: from, Target: to, Back: back, Extra: generated()}
	if condition != nil {
		p.Condition = inputs.Encode(condition)
	}
	c.w.Paths = append(c.w.Paths, p)
}

func generated() map[string]any { return map[string]any{propertyGenerated: true} }
