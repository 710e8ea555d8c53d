package enginetest_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
)

type greetInput struct {
	Name string `json:"name"`
}

type greetOutput struct {
	Text string `json:"text"`
}

// greet is a function of our own; the workflow is what we want to know about.
func greet(ctx context.Context, in greetInput) (greetOutput, error) {
	text := "Hello " + in.Name
	engine.CallOf(ctx).Say(text)
	return greetOutput{text}, nil
}

func askName(context.Context, struct{}) (struct{}, error) {
	return struct{}{}, &engine.AwaitInput{Prompt: "Name?"}
}

func registry() *engine.Registry {
	r := engine.NewRegistry()
	engine.Register(r, "ask_name", askName)
	engine.Register(r, "greet", greet)
	return r
}

func greeting() *engine.Workflow {
	return &engine.Workflow{
		ID: "greeting",
		Steps: []engine.Step{
			{ID: "root", Function: "ask_name"},
			{ID: "greet", Function: "greet", Input: `{"name": "@{SESSION_ID}.root.response"}`},
		},
		Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "greet"}},
	}
}

// In a test of your own, t is the test's.
func ExamplePlay() {
	test := func(t testing.TB) {
		result := enginetest.Play(t, enginetest.Game{
			Workflow: greeting(),
			Registry: registry(),
			Answers:  []enginetest.Answer{enginetest.Say("Ada")},
		})
		fmt.Println(result.Session.Status, result.Steps())
		for _, line := range result.Chat() {
			fmt.Println(line)
		}
		fmt.Printf("%s\n", result.Output("greet"))
	}
	test(exampleTB{ctx: context.Background()})
	// Output:
	// complete [root greet]
	// assistant: Name?
	// user: Ada
	// assistant: Hello Ada
	// {"text":"Hello Ada"}
}

func TestPlayStopsAtThePauseAfterTheLastAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := enginetest.Play(t, enginetest.Game{Workflow: greeting(), Registry: registry()})
		result.WantStatus(engine.StatusAwaitingInput)
		result.WantChat("assistant: Name?")
		result.WantSteps()
		result.WantOutput("root", map[string]any{"prompt": "Name?"})
	})
}

func TestPlayTakesInputsAndEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := greeting()
		w.Steps[1].Input = `{"name": "@{SESSION_ID}.name"}`
		result := enginetest.Play(t, enginetest.Game{
			Workflow: w, Registry: registry(), Entry: "greet", Inputs: map[string]any{"name": "Bob"}, Session: "s-1",
		})
		result.WantStatus(engine.StatusComplete)
		result.WantSteps("greet")
		result.WantOutput("greet", greetOutput{"Hello Bob"})
		if result.Session.ID != "s-1" || result.Status("greet") != engine.StatusComplete {
			t.Errorf("session %q, step greet %q", result.Session.ID, result.Status("greet"))
		}
	})
}

// A recorder is a testing.TB that keeps the failure which would have stopped the test.
type recorder struct {
	testing.TB
	said string
}

type stopped struct{}

func (r *recorder) Fatalf(format string, args ...any) {
	r.said = fmt.Sprintf(format, args...)
	panic(stopped{})
}

func (r *recorder) Errorf(format string, args ...any) { r.said = fmt.Sprintf(format, args...) }

// failure is what a test says when f stops or fails it.
func failure(t *testing.T, f func(testing.TB)) (said string) {
	r := &recorder{TB: t}
	defer func() {
		said = r.said
		if p := recover(); p != nil && p != any(stopped{}) {
			panic(p)
		}
	}()
	f(r)
	return r.said
}

func TestPlaySaysWhereTheSessionStood(t *testing.T) {
	tests := []struct {
		name string
		game enginetest.Game
		want string
	}{
		{"answers left over", enginetest.Game{Answers: []enginetest.Answer{enginetest.Say("Ada"), enginetest.Say("Bob")}},
			`answer 2 ("Bob"): nothing is asked; the session is complete`},
		{"an answer to a step that does not ask", enginetest.Game{Answers: []enginetest.Answer{enginetest.SayTo("greet", 1)}},
			`answer 1 (1): no open question: step "greet" does not wait for an answer (session s is awaiting_input); the session is awaiting_input; step "root" asks "Name?"`},
		{"no such entry", enginetest.Game{Entry: "begin"},
			`start: no entry step: workflow "greeting" has no step "begin" to start at (there is: greet, root)`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.game.Workflow, test.game.Registry, test.game.Session = greeting(), registry(), "s"
				got := failure(t, func(tb testing.TB) { enginetest.Play(tb, test.game) })
				if got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			})
		})
	}
}

func TestWants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tests := []struct {
			name  string
			check func(*enginetest.Result)
			want  string
		}{
			{"status", func(r *enginetest.Result) { r.WantStatus(engine.StatusComplete) },
				`want complete, but the session is awaiting_input; step "root" asks "Name?"`},
			{"steps", func(r *enginetest.Result) { r.WantSteps("root") }, "the session went \nwant root"},
			{"chat", func(r *enginetest.Result) { r.WantChat("assistant: Who?") },
				"the chat was\n  assistant: Name?\nwant\n  assistant: Who?"},
			{"output", func(r *enginetest.Result) { r.WantOutput("root", 1.0) }, "output of step \"root\" is {\"prompt\":\"Name?\"}\nwant 1"},
		}
		for _, test := range tests {
			got := failure(t, func(tb testing.TB) {
				test.check(enginetest.Play(tb, enginetest.Game{Workflow: greeting(), Registry: registry()}))
			})
			if got != test.want {
				t.Errorf("%s: got  %s\nwant %s", test.name, got, test.want)
			}
		}
	})
}
