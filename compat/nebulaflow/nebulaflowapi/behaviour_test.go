package nebulaflowapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

// held answers when it is let go.
func held(let <-chan struct{}) models.Func {
	return func(ctx context.Context, q models.Request) (models.Response, error) {
		if q.Token != nil {
			q.Token("echo")
		}
		select {
		case <-let:
			return echo(ctx, q)
		case <-ctx.Done():
			return models.Response{}, ctx.Err()
		}
	}
}

var twoAgents = lineOf(flowNode("a", "llm", `{"content":"x"}`), flowNode("b", "llm", `{"content":"y ${1}"}`))

// A flow that cannot run ends at once, with the reason.
func TestNebulaRefusedFlows(t *testing.T) {
	c := newServer(t, echo).connect("")
	for want, flow := range map[string]map[string]any{
		"unknown node type":  lineOf(flowNode("a", "teleport", `{}`)),
		"the edges go in a":  {"nodes": []json.RawMessage{flowNode("a", "preview", `{}`)}, "edges": []any{map[string]string{"id": "e", "source": "a", "target": "a"}}},
		"node zzz not found": {"nodes": []json.RawMessage{flowNode("a", "preview", `{}`)}, "edges": []any{}, "resume": map[string]any{"fromNodeId": "zzz"}},
	} {
		c.say("execute_workflow", flow)
		if e := c.next(); e.Type != "bridge:show_error" || !strings.Contains(e.Message, want) {
			t.Errorf("got %s, want %s", e.raw, want)
		}
		if e := c.next(); e.Type != "execution_completed" || e.Status != engine.StatusError {
			t.Errorf("got %s", e.raw)
		}
	}
}

func TestNebulaAbort(t *testing.T) {
	s := newServer(t, held(nil))
	c := s.connect("")
	c.say("execute_workflow", twoAgents)
	c.untilNode("a", "running")
	c.say("abort_workflow", nil)
	end := c.until("execution_completed")
	equalLines(t, c.nodes(), []string{"running a", "interrupted a"})
	if end.StoppedAtNodeID != "a" || end.Status != engine.StatusCancelled {
		t.Errorf("got %s", end.raw)
	}
}

// Pausing lets what runs finish; going on with what completed is a new session, and the
// paused one is not left behind, wherever the new one begins.
func TestNebulaPauseAndResume(t *testing.T) {
	seeds := map[string]any{"outputs": map[string]string{"a": "echo: x"}}
	t.Run("after what completed", func(t *testing.T) { pausedAndResumed(t, map[string]any{"seeds": seeds}) })
	t.Run("from a node", func(t *testing.T) { pausedAndResumed(t, map[string]any{"fromNodeId": "b", "seeds": seeds}) })
}

func pausedAndResumed(t *testing.T, resume map[string]any) {
	let := make(chan struct{})
	s := newServer(t, held(let))
	c := s.connect("")
	c.say("execute_workflow", twoAgents)
	first := c.next().Session
	c.untilNode("a", "running")
	c.say("pause_workflow", nil)
	s.untilStatus(first, engine.StatusPaused)
	close(let)
	paused := c.until("execution_paused")
	equalLines(t, c.nodes(), []string{"running a", "completed a echo: x"})
	if paused.StoppedAtNodeID != "a" {
		t.Errorf("got %s", paused.raw)
	}
	c.all = nil
	again := map[string]any{"nodes": twoAgents["nodes"], "edges": twoAgents["edges"], "resume": resume}
	c.say("execute_workflow", again)
	if end := c.until("execution_completed"); end.Session == first {
		t.Errorf("the client is told of the paused run: %s", end.raw)
	}
	equalLines(t, c.nodes(), []string{"running b", "completed b echo: y echo: x"})
	s.untilStatus(first, engine.StatusCancelled)
	for _, e := range c.all {
		if e.Session == first {
			t.Errorf("the client is told of two runs: %s", e.raw)
		}
	}
}

// Somebody may lift a pause elsewhere: the client is told that the session goes on.
func TestNebulaPauseLiftedElsewhere(t *testing.T) {
	let := make(chan struct{})
	s := newServer(t, held(let))
	c := s.connect("")
	c.say("execute_workflow", twoAgents)
	id := c.next().Session
	c.untilNode("a", "running")
	c.say("pause_workflow", nil)
	s.untilStatus(id, engine.StatusPaused)
	close(let)
	c.until("execution_paused")
	if _, err := s.e.Act(t.Context(), engine.Action{Session: id, Kind: engine.RequestResume}); err != nil {
		t.Fatal(err)
	}
	c.until("execution_started")
	c.until("execution_completed")
	equalLines(t, c.nodes(), []string{"running a", "completed a echo: x", "running b", "completed b echo: y echo: x"})
}

// untilStatus waits until a session has a status.
func (s *server) untilStatus(id, status string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	events, err := s.e.Subscribe(ctx, id, "")
	if err != nil {
		s.t.Fatal(err)
	}
	for ev := range events {
		switch d := ev.Data.(type) {
		case *engine.Session:
			if d.Status == status {
				return
			}
		case engine.StatusEvent:
			if d.Status == status {
				return
			}
		}
	}
	s.t.Fatalf("session %s never was %s", id, status)
}

// A session that is deleted under its client's eyes is no longer followed, which is said.
func TestNebulaDeletedSession(t *testing.T) {
	s := newServer(t, echo)
	c := s.connect("")
	c.say("execute_workflow", lineOf(flowNode("k", "cli", `{"content":"echo","needsUserApproval":true}`)))
	id := c.untilNode("k", "pending_approval").Session
	if err := s.e.DeleteSession(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	for {
		e := c.next()
		if e.Type == "execution_completed" && e.Status == engine.StatusCancelled || e.Type == "bridge:show_error" && strings.Contains(e.Message, "no longer followed") {
			return
		}
	}
}

// A connection that is lost ends nothing; another one follows the session from its beginning.
func TestNebulaFollowsAgain(t *testing.T) {
	let := make(chan struct{})
	s := newServer(t, held(let))
	c := s.connect("")
	c.say("execute_workflow", lineOf(flowNode("k", "cli", `{"content":"echo 1"}`), flowNode("a", "llm", `{"content":"x"}`), flowNode("q", "cli", `{"content":"echo 2","needsUserApproval":true}`)))
	id := c.next().Session
	c.untilNode("a", "running")
	if err := c.ws.CloseNow(); err != nil {
		t.Fatal(err)
	}
	again := s.connect("?session=" + id)
	if e := again.next(); e.Type != "execution_started" || e.Session != id {
		t.Errorf("got %s", e.raw)
	}
	again.untilNode("a", "running")
	close(let)
	again.untilNode("q", "pending_approval")
	third := s.connect("")
	third.say("follow_execution", map[string]string{"session": id})
	third.untilNode("q", "pending_approval")
	third.say("node_approved", map[string]string{"nodeId": "q"})
	want := []string{"running k", "completed k 1\n", "running a", "completed a echo: x", "running q", "pending_approval q", "completed q 2\n"}
	for _, client := range []*client{again, third} {
		client.until("execution_completed")
		equalLines(t, client.nodes(), want)
	}
	late := s.connect("?session=" + id)
	if end := late.until("execution_completed"); end.StoppedAtNodeID != "q" || end.Status != engine.StatusComplete {
		t.Errorf("got %s", end.raw)
	}
	equalLines(t, late.nodes(), []string{"running k", "completed k 1\n", "running a", "completed a echo: x", "running q", "completed q 2\n"})
}

// Two clients see their own sessions, and an approval is given once.
func TestNebulaTwoClients(t *testing.T) {
	s := newServer(t, echo)
	one, two := s.connect(""), s.connect("")
	flow := lineOf(flowNode("k", "cli", `{"content":"echo 1","needsUserApproval":true}`))
	one.say("execute_workflow", flow)
	id := one.untilNode("k", "pending_approval").Session
	two.say("abort_workflow", nil)
	two.until("bridge:show_error")
	two.say("follow_execution", map[string]string{"session": id})
	two.untilNode("k", "pending_approval")
	one.say("node_approved", map[string]string{"nodeId": "k"})
	one.until("execution_completed")
	two.until("execution_completed")
	two.say("node_rejected", map[string]string{"nodeId": "k"})
	if e := two.until("bridge:show_error"); !strings.Contains(e.Message, "no approval") {
		t.Errorf("got %s", e.raw)
	}
	two.say("execute_workflow", lineOf(flowNode("t", "text-format", `{"content":"mine"}`)))
	two.until("execution_completed")
	one.say("calculate_tokens", map[string]string{"text": "a😀", "nodeId": "t"})
	if e := one.next(); e.Type != "token_count" || e.Data.Count != 3 {
		t.Errorf("got %s", e.raw)
	}
}

// One can talk to an llm node: the text is the prompt as it is.
func TestNebulaChat(t *testing.T) {
	c := newServer(t, echo).connect("")
	c.say("llm_node_chat", map[string]any{"node": flowNode("a", "llm", `{"content":"ignored"}`), "threadID": "T1", "message": "what is ${1}?"})
	c.until("execution_completed")
	equalLines(t, c.nodes(), []string{"running a", "completed a echo: what is ${1}?"})
	for _, e := range c.all {
		if e.Type == "node_assistant_content" && (e.Data.Mode != "single-node" || e.Data.ThreadID != "T1") {
			t.Errorf("got %s", e.raw)
		}
	}
}

// A model that is busy for a moment does not end a node: no client hears of an error.
func TestNebulaRetriedCalls(t *testing.T) {
	calls := 0
	c := newServer(t, func(ctx context.Context, q models.Request) (models.Response, error) {
		if calls++; calls == 1 {
			return models.Response{}, models.NewError(models.KindRateLimit, true, "too many", nil)
		}
		return echo(ctx, q)
	}).connect("")
	c.say("execute_workflow", lineOf(flowNode("a", "llm", `{"content":"x"}`)))
	if end := c.until("execution_completed"); end.Status != engine.StatusComplete && end.Status != "completed" {
		t.Errorf("got %s", end.raw)
	}
	equalLines(t, c.nodes(), []string{"running a", "completed a echo: x"})
}
