package faultlane

import "fmt"

// workflowID names the workflow that all sessions play:
//
//	root -> charge -> left ----------\
//	              \-> right -> name -> both -> ask -> book -> note -> end
//	              \-> mood ----------/          ^-----(more)----/
//
// charge, left and book are effects, name, mood and ask questions (two of them open at
// once), both joins all, and ask, book and note go round as often as the session's input
// says.
const workflowID = "faults"

// workflowDocument is what is PUT.
func workflowDocument() map[string]any {
	return map[string]any{
		"steps": []any{
			step("root", "variable", `{"n": "@{SESSION_ID}.n"}`),
			step("charge", "side.charge", `{"n": "@{SESSION_ID}.root.n"}`, "retry", retry),
			step("left", "side.left", `{"charge": "@{SESSION_ID}.charge.token"}`, "retry", retry),
			step("right", "template", `{"template": "right of @{SESSION_ID}.charge.token"}`),
			step("name", "request", `{"prompt": "name @{SESSION_ID}.n?"}`),
			step("mood", "request", `{"prompt": "mood @{SESSION_ID}.n?"}`),
			step("both", "template", `{"template": "@{SESSION_ID}.left.token & @{SESSION_ID}.name.response & @{SESSION_ID}.mood.response"}`, "join", "all"),
			step("ask", "request", `{"prompt": "round after @{SESSION_ID}.note.count|none"}`),
			step("book", "side.book", `{"answer": "@{SESSION_ID}.ask.response", "rounds": "@{SESSION_ID}.rounds"}`, "retry", retry),
			step("note", "accumulate", `{"value": "@{SESSION_ID}.book.token", "previous": "@{SESSION_ID}.note.items|"}`),
			step("end", "reply", `{"message": "@{SESSION_ID}.note.count rounds"}`),
		},
		"paths": []any{
			path("root", "charge"), path("charge", "left"), path("charge", "right"), path("charge", "mood"), path("right", "name"),
			path("left", "both"), path("name", "both"), path("mood", "both"),
			path("both", "ask"), path("ask", "book"), path("book", "note"),
			path("note", "ask", `[{"true": "@{SESSION_ID}.book.more"}]`), path("note", "end", `[{"false": "@{SESSION_ID}.book.more"}]`),
		},
	}
}

// retry is that of every step with an effect: it has ended well in the end.
const retry = `{"max_attempts": 100, "initial_interval": "10ms", "backoff": 1.5, "max_interval": "200ms"}`

// step is a step of a document; more are further properties, a name and its text each.
func step(id, function, input string, more ...string) map[string]any {
	s := map[string]any{"id": id, "function": function, "input": input}
	for i := 0; i < len(more); i += 2 {
		s[more[i]] = more[i+1]
	}
	return s
}

func path(source, target string, condition ...string) map[string]any {
	p := map[string]any{"source": source, "target": target}
	if len(condition) > 0 {
		p["condition"], p["back"] = condition[0], target == "ask"
	}
	return p
}

// What a step of the workflow is.
const (
	pure     = "pure"
	side     = "effect"
	question = "question"
)

var kinds = map[string]string{
	"root": pure, "charge": side, "left": side, "right": pure, "name": question, "mood": question,
	"both": pure, "ask": question, "book": side, "note": pure, "end": pure,
}

// A visit is one run of a step.
type visit struct {
	step string
	n    int
}

func (v visit) String() string { return fmt.Sprintf("%s/%d", v.step, v.n) }

// model says which visits a session of so many rounds makes, and which visits led to each.
func model(rounds int) map[visit][]visit {
	once := func(step string) visit { return visit{step, 1} }
	m := map[visit][]visit{
		once("root"): nil, once("charge"): {once("root")}, once("left"): {once("charge")}, once("right"): {once("charge")},
		once("mood"): {once("charge")}, once("name"): {once("right")}, once("both"): {once("left"), once("mood"), once("name")},
		once("ask"): {once("both")}, once("end"): {{"note", rounds}},
	}
	for n := 1; n <= rounds; n++ {
		m[visit{"book", n}], m[visit{"note", n}] = []visit{{"ask", n}}, []visit{{"book", n}}
		if n > 1 {
			m[visit{"ask", n}] = []visit{{"note", n - 1}}
		}
	}
	return m
}
