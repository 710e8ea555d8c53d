package flowise_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

// Of a model that has begun to speak before the session was followed the words are told when
// it ends, all of them and once.
func TestLateFollowers(t *testing.T) {
	r := start(t, func(context.Context, models.Request) (models.Response, error) {
		return models.Response{Text: "one two", FinishReason: models.FinishStop}, nil
	}, nil)
	document := drawn([]string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput"}), drawnNode(t, "m", "llmAgentflow", "", object{"llmModel": "x", "llmEnableMemory": true})}, "s>m")
	w := r.put("late", document)
	session := r.play(engine.StartRequest{Workflow: w.ID, Inputs: json.RawMessage(`{"question":"q"}`)})
	list, err := r.Executions(t.Context(), session.ID, engine.HistoryQuery{Limit: 100, Lineage: true})
	if err != nil {
		t.Fatal(err)
	}
	run := flowise.Run{Workflow: w, Session: session, Executions: list}
	for name, heard := range map[string]func(*flowise.Stream) []flowise.Event{
		"late": func(s *flowise.Stream) []flowise.Event { return s.Token("m", 1, "two") },
		"in time": func(s *flowise.Stream) []flowise.Event {
			return append(s.Started("m", 1), append(s.Token("m", 1, "one "), s.Token("m", 1, "two")...)...)
		},
	} {
		s := flowise.NewStream(run, nil)
		var words []string
		for _, e := range append(heard(s), s.Rest(run, flowise.Executed(run))...) {
			if e.Event == "token" {
				words = append(words, fmt.Sprint(e.Data))
			}
		}
		if got := strings.Join(words, ""); got != "one two" || name == "late" && len(words) != 1 {
			t.Errorf("%s: %q", name, words)
		}
	}
}

// A node is told of when its state is known, not before.
func TestStatesInAStream(t *testing.T) {
	r := start(t, nil, nil)
	document := drawn([]string{drawnNode(t, "s", "startAgentflow", "", object{"startInputType": "chatInput"}),
		drawnNode(t, "c", "customFunctionAgentflow", "", object{"customFunctionJavascriptFunction": "return 1", "customFunctionUpdateState": []object{{"key": "n", "value": "{{ output }}"}}}),
		drawnNode(t, "d", "directReplyAgentflow", "", object{"directReplyMessage": "x"})}, "s>c c>d")
	w := r.put("states", document)
	session := r.play(engine.StartRequest{Workflow: w.ID})
	list, err := r.Executions(t.Context(), session.ID, engine.HistoryQuery{Limit: 100, Lineage: true})
	if err != nil {
		t.Fatal(err)
	}
	s := flowise.NewStream(flowise.Run{Workflow: w, Session: session}, nil)
	var told []string
	for i := range list {
		for _, e := range s.Update(flowise.Executed(flowise.Run{Workflow: w, Session: session, Executions: list[:i+1]}), false) {
			if entries, ok := e.Data.([]flowise.Entry); ok {
				last := entries[len(entries)-1]
				told = append(told, last.NodeID+string(last.Data.State))
			}
		}
	}
	if got := strings.Join(told, " "); got != `s{} c{"n":1} d{"n":1}` {
		t.Errorf("told %s", got)
	}
}
