package main

import (
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

func TestAnswersAreGivenInOrder(t *testing.T) {
	a, err := parseAnswers([]byte(`["one", {"step": "b", "response": 2}, {"step": "x", "response": 3, "more": true}, {"step": "gone", "response": 4}, null]`))
	if err != nil {
		t.Fatal(err)
	}
	open := []engine.Question{{Step: "a"}, {Step: "b"}}
	for _, want := range []struct{ step, response string }{
		{"a", `"one"`},
		{"b", `2`},
		{"a", `{"step": "x", "response": 3, "more": true}`}, // not a named one: it has a key more
		{"a", `null`},
	} {
		step, response, ok := a.next(open)
		if !ok || step != want.step || string(response) != want.response {
			t.Errorf("got %s %s %t, want %s %s", step, response, ok, want.step, want.response)
		}
	}
	if step, response, ok := a.next(open); ok {
		t.Errorf("used up, and gave %s to %s", response, step)
	}
	if _, response, ok := a.next([]engine.Question{{Step: "gone"}}); !ok || string(response) != "4" {
		t.Errorf("the answer that waited for its step: %s %t", response, ok)
	}
	if _, err := parseAnswers([]byte(`{"a": 1}`)); err == nil {
		t.Error("an object is not a list")
	}
}

func TestAnAnsweredQuestionIsPassedOver(t *testing.T) {
	a, err := parseAnswers([]byte(`["x"]`))
	if err != nil {
		t.Fatal(err)
	}
	if step, _, ok := a.next([]engine.Question{{Step: "a", Answered: true}, {Step: "b"}}); !ok || step != "b" {
		t.Errorf("went to %q", step)
	}
}

func TestTyped(t *testing.T) {
	options := []engine.Option{{Text: "red"}, {Text: "blue"}}
	for _, c := range []struct {
		q    engine.Question
		line string
		want string
	}{
		{engine.Question{}, "Ada", `"Ada"`},
		{engine.Question{}, "12", `"12"`},
		{engine.Question{Options: options}, "2", `"blue"`},
		{engine.Question{Options: options}, "3", `"3"`},
		{engine.Question{Schema: json.RawMessage(`{"type":"integer"}`)}, "12", `12`},
		{engine.Question{Schema: json.RawMessage(`{"type":"string"}`)}, "12", `"12"`},
		{engine.Question{Kind: engine.AskApproval}, "yes", `true`},
		{engine.Question{Kind: engine.AskApproval}, "n", `false`},
		{engine.Question{Kind: engine.AskApproval}, `{"approved":false}`, `{"approved":false}`},
	} {
		if got := string(typed(c.q, c.line)); got != c.want {
			t.Errorf("%+v %q: got %s, want %s", c.q, c.line, got, c.want)
		}
	}
}
