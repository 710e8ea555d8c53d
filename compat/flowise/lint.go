package flowise

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// noteDangling warns of edges that lead nowhere.
func (c *compiler) noteDangling() {
	for _, e := range c.flow.dangling {
		switch from, to := c.flow.byID[e.Source], c.flow.byID[e.Target]; {
		case from != nil && to != nil:
			c.note(from, "edge_crosses", "edge %q crosses the border of an iteration and is not followed", e.ID)
		case from != nil:
			c.note(from, "edge_end", "edge %q leads to %q, which is not a node, and is not followed", e.ID, e.Target)
		case to != nil:
			c.note(to, "edge_end", "edge %q comes from %q, which is not a node, and is not followed", e.ID, e.Source)
		}
	}
}

// lint warns of what runs but is hardly meant.
func (c *compiler) lint() {
	vars := map[string]bool{}
	for _, n := range c.flow.Nodes {
		for _, m := range variable.FindAllString(string(n.raw), -1) {
			name := strings.TrimSpace(strings.Trim(m, "{}"))
			if rest, ok := strings.CutPrefix(name, "$vars."); ok && !vars[rest] {
				vars[rest] = true
				c.note(nil, "variable_to_set", "the flow reads the variable %q: set it with `stepgraph variable set %s VALUE`", rest, rest)
			}
		}
		switch n.kind() {
		case kindStart:
			c.lintStart(n)
		case kindLLM, kindAgent, kindConditionAgent:
			if n.Data.Inputs.text(prefixOf(n)+"Model") == "" {
				c.note(n, "model_missing", "no model is chosen; the engine's default answers")
			}
		case kindDirectReply:
			if len(c.flow.outOf(n)) > 0 && n.parent == nil {
				c.note(n, "reply_in_middle", "a direct reply that something follows is not the flow's answer")
			}
		}
	}
	c.problems = slices.Clip(c.problems)
}

// lintStart warns of ways to begin and to answer that are not here.
func (c *compiler) lintStart(n *node) {
	in := n.Data.Inputs
	switch in.text("startInputType") {
	case startSchedule:
		c.note(n, "schedule", "nothing starts the flow at its times by itself: let a scheduler start sessions of it")
	case startWebhook:
		if in.text("callbackUrl") != "" {
			c.note(n, "callback", "the result is not sent to %s: watch the session, or end the flow with an HTTP node", in.text("callbackUrl"))
		}
	}
}

// withoutGraph is a document without its nodes and edges.
func withoutGraph(document []byte) string {
	fields, err := orderedFields(document)
	if err != nil {
		return "{}"
	}
	var parts []string
	for _, f := range fields {
		if f.name != "nodes" && f.name != "edges" {
			name, _ := json.Marshal(f.name)
			parts = append(parts, fmt.Sprintf("%s:%s", name, f.value))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func sortedKeys(m settings) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
