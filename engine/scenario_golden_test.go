package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// golden is what came of the play, by section, in the scenario's own names.
func (w *world) golden() map[string]string {
	out := map[string]string{"seen": strings.Join(w.seen, ""), "calls": lines(w.fakes.calls())}
	for _, name := range w.sessions {
		if _, _, err := w.engine.State(w.t.Context(), w.prefix+name); err != nil {
			continue // deleted
		}
		heading := ""
		if len(w.sessions) > 1 {
			heading = name + ":\n"
		}
		out["state.json"] += heading + w.goldenState(name)
		out["executions"] += heading + w.goldenExecutions(name)
		if requests := w.goldenRequests(name); requests != "" {
			out["requests"] += heading + requests
		}
	}
	for name, text := range out {
		out[name] = w.plain(text)
	}
	return out
}

func lines(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}

// goldenState is the state with a line for each step, output and message, without times.
func (w *world) goldenState(name string) string {
	text, _, err := w.engine.State(w.t.Context(), w.prefix+name)
	if err != nil {
		w.t.Fatal(err)
	}
	state, err := engine.ParseState(w.prefix+name, text)
	if err != nil {
		return fmt.Sprintf("unreadable: %s\n", text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{\"status\": %q,\n \"workflow\": {", state.SessionStatus())
	for i, id := range state.StepIDs() {
		comma(&b, i)
		step := state.Step(id)
		fmt.Fprintf(&b, "\n  %q: {\"status\": %q, \"error\": %s}", id, step.Status, text2json(step.Error))
	}
	b.WriteString("},\n \"outputs\": {")
	for i, id := range outputOrder(text) {
		comma(&b, i)
		fmt.Fprintf(&b, "\n  %q: [%s]", id, joinOutputs(state.Outputs(id)))
	}
	b.WriteString("},\n \"messages\": [")
	for i, m := range state.Messages() {
		comma(&b, i)
		fmt.Fprintf(&b, "\n  {\"role\": %q, \"content\": %s, \"step\": %q}", m.Role, text2json(short(m.Content)), m.Step)
	}
	b.WriteString("]}\n")
	return b.String()
}

func comma(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteString(",")
	}
}

func text2json(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// outputOrder lists the keys of data.outputs as they stand in the text.
func outputOrder(state []byte) []string {
	var s struct {
		Data struct {
			Outputs json.RawMessage `json:"outputs"`
		} `json:"data"`
	}
	if json.Unmarshal(state, &s) != nil || len(s.Data.Outputs) == 0 {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(string(s.Data.Outputs)))
	if _, err := d.Token(); err != nil {
		return nil
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return keys
		}
		keys = append(keys, key.(string))
		var skip json.RawMessage
		if d.Decode(&skip) != nil {
			return keys
		}
	}
	return keys
}

func joinOutputs(kept []json.RawMessage) string {
	var texts []string
	for _, o := range kept {
		texts = append(texts, short(string(o)))
	}
	return strings.Join(texts, ", ")
}

// short keeps golden files readable where outputs are large.
func short(text string) string {
	if len(text) <= 400 {
		return text
	}
	return fmt.Sprintf("%s… %d bytes", text[:40], len(text))
}

// goldenExecutions is the history: a line for each execution, one below it for each thing
// there is to say.
func (w *world) goldenExecutions(name string) string {
	list, err := w.engine.Executions(w.t.Context(), w.prefix+name, engine.HistoryQuery{Limit: 500, Lineage: true})
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for i := range list {
		x := &list[i]
		fmt.Fprintf(&b, "%d %s/%d attempt %d %s", x.Seq, x.Step, x.Visit, x.Attempt, x.Status)
		writeLineage(&b, "took", x.Took)
		writeLineage(&b, "reads", x.Reads)
		writePaths(&b, x.Paths)
		if len(x.Error) > 0 {
			fmt.Fprintf(&b, " error %s", short(string(x.Error)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func writeLineage(b *strings.Builder, word string, list []engine.Lineage) {
	for i, l := range list {
		if i == 0 {
			b.WriteString(" " + word)
		}
		fmt.Fprintf(b, " %s:%s", l.Execution[strings.LastIndex(l.Execution, "/")+1:], l.Label)
	}
}

func writePaths(b *strings.Builder, text json.RawMessage) {
	var paths []struct {
		Path  string `json:"path"`
		Open  bool   `json:"open"`
		Error string `json:"error"`
	}
	if json.Unmarshal(text, &paths) != nil {
		return
	}
	for i, p := range paths {
		if i == 0 {
			b.WriteString(" paths")
		}
		word := "closed"
		if p.Open {
			word = "open"
		}
		if p.Error != "" {
			word = "broken"
		}
		fmt.Fprintf(b, " %s=%s", p.Path, word)
	}
}

// goldenRequests is what came from outside, in order.
func (w *world) goldenRequests(name string) string {
	list, err := w.engine.Requests(w.t.Context(), w.prefix+name, engine.HistoryQuery{Limit: 500})
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for _, q := range list {
		fmt.Fprintf(&b, "%d %s", q.N, q.Kind)
		if q.Kind == engine.RequestAnswer {
			fmt.Fprintf(&b, " %s/%d/%d %s", q.Step, q.Visit, q.Ask, short(string(q.Body)))
		}
		if q.Applied {
			fmt.Fprintf(&b, ": %s", q.Outcome)
		} else {
			b.WriteString(", not applied")
		}
		b.WriteString("\n")
	}
	return b.String()
}
