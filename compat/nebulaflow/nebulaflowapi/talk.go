package nebulaflowapi

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// talkEvery is how often what an agent says is sent while it speaks: each message has all
// of it.
const talkEvery = 100 * time.Millisecond

// Bounds of what is shown of an agent, in bytes.
const (
	maxLive     = 1 << 20
	maxToolText = 100_000
	maxLine     = 64 << 10
)

// A talkItem is one entry in the timeline of an llm node.
type talkItem struct {
	Type       string  `json:"type"` // text, tool_use, tool_result
	Text       *string `json:"text,omitempty"`
	ID         string  `json:"id,omitempty"`
	Name       string  `json:"name,omitempty"`
	InputJSON  string  `json:"inputJSON,omitempty"`
	ToolUseID  string  `json:"toolUseID,omitempty"`
	ResultJSON string  `json:"resultJSON,omitempty"`
}

// A talk is what an llm node has said and done in its newest visit.
type talk struct {
	items []talkItem
	open  []talkItem // calls of tools without a result
	live  strings.Builder
	call  int // whose text is live
	dirty bool
}

func (r *run) talk(node string) *talk {
	if r.talks[node] == nil {
		r.talks[node] = &talk{}
	}
	return r.talks[node]
}

// token adds what a model or a command says while it runs.
func (r *run) token(ctx context.Context, t engine.TokenEvent) {
	n, isNode := r.nodes[t.Step]
	switch {
	case !isNode || !r.running[t.Step]:
	case n.Type == nebulaflow.TypeLLM:
		r.talk(t.Step).say(t)
	case n.Type == nebulaflow.TypeCLI && r.inside == nil:
		r.chunk(ctx, t.Step, t.Text)
	}
}

// chunk sends the output of a command line by line, as NebulaFlow does. The engine does not
// tell which stream a text came from.
func (r *run) chunk(ctx context.Context, node, text string) {
	text = r.lines[node] + text
	for {
		line, rest, whole := strings.Cut(text, "\n")
		if !whole && len(text) < maxLine {
			r.lines[node] = text
			return
		}
		r.sendLine(ctx, node, line)
		text = rest
	}
}

func (r *run) sendLine(ctx context.Context, node, line string) {
	r.send(ctx, message{Type: "node_output_chunk", Data: map[string]string{"nodeId": node, "chunk": line, "stream": "stdout"}})
}

// lastLine sends what a command said after its last newline.
func (r *run) lastLine(ctx context.Context, node string) {
	if line := r.lines[node]; line != "" {
		r.sendLine(ctx, node, line)
	}
	delete(r.lines, node)
}

func (t *talk) say(ev engine.TokenEvent) {
	if ev.Call != t.call {
		t.call = ev.Call
		t.live.Reset()
	}
	if t.live.Len() < maxLive {
		t.live.WriteString(ev.Text)
		t.dirty = true
	}
}

func textItem(text string) talkItem { return talkItem{Type: "text", Text: &text} }

// round adds one round of the agent: what it said and the tools it calls.
func (t *talk) round(x *engine.Execution) {
	t.live.Reset()
	entry := gjson.ParseBytes(x.Output)
	if text := entry.Get("text").String(); text != "" {
		t.items = append(t.items, textItem(text))
	}
	for _, call := range entry.Get("tool_calls").Array() {
		one := talkItem{Type: "tool_use", ID: call.Get("id").String(), Name: call.Get("name").String(), InputJSON: cutTool(call.Get("arguments").Raw)}
		t.items = append(t.items, one)
		t.open = append(t.open, one)
	}
	t.dirty = true
}

// result adds what a tool gave. Calls of one tool are made in their order.
func (t *talk) result(tool string, result []byte) {
	at := slices.IndexFunc(t.open, func(one talkItem) bool { return one.Name == tool })
	if at < 0 {
		return
	}
	t.items = append(t.items, talkItem{Type: "tool_result", ToolUseID: t.open[at].ID, ResultJSON: cutTool(string(result))})
	t.open = slices.Delete(t.open, at, at+1)
	t.dirty = true
}

// final adds the answer.
func (t *talk) final(text string) {
	t.live.Reset()
	t.items = append(t.items, textItem(text))
	t.dirty = true
}

func cutTool(text string) string {
	if len(text) <= maxToolText {
		return text
	}
	return strings.ToValidUTF8(text[:maxToolText], "") + "\n... (truncated)"
}

// toolEnded adds the result of a tool to the timeline of the agent that called it.
func (r *run) toolEnded(x *engine.Execution) {
	agent := r.rounds[x.Parent]
	if agent == "" || nodeWord(x.Status) == "" {
		return
	}
	result := x.Output
	if x.Status != engine.StatusComplete {
		result = x.Error
	}
	r.talk(agent).result(r.toolName(agent, x.Step), result)
	r.unask(x.Step)
}

// talked reports whether something was said since the last time.
func (r *run) talked() bool {
	for _, t := range r.talks {
		if t.dirty {
			return true
		}
	}
	return false
}

func (r *run) flushTalks(ctx context.Context) {
	for i := range r.w.Steps {
		r.flushTalk(ctx, r.w.Steps[i].ID)
	}
}

// flushTalk sends the timeline of a node if it has changed.
func (r *run) flushTalk(ctx context.Context, node string) {
	t := r.talks[node]
	if t == nil || !t.dirty {
		return
	}
	t.dirty = false
	items := slices.Clone(t.items)
	if t.live.Len() > 0 {
		items = append(items, textItem(t.live.String()))
	}
	data := map[string]any{"nodeId": node, "threadID": cmp.Or(r.thread, r.session), "content": items, "mode": r.mode}
	kind := "node_assistant_content"
	if r.inside != nil {
		kind, data["subflowId"] = "subflow_node_assistant_content", r.w.ID
	}
	r.send(ctx, message{Type: kind, Data: data})
}
