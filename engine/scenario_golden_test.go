package engine_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

var lastExecuted = regexp.MustCompile(`,"last_executed":\d+`)

// golden is what came of the play, by section, in the scenario's own names.
func (w *world) golden() map[string]string {
	out := map[string]string{"seen": strings.Join(w.seen, ""), "calls": lines(w.fakes.calls())}
	for _, name := range w.sessions {
		if _, _, err := w.engine.State(w.t.Context(), w.prefix+name); err != nil {
			continue // deleted
		}
		w.historyIsThere(name)
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

// historyIsThere waits until the history shows what the session's counters say: a Neo4j
// read beside a commit that is being applied may see one and not the other.
func (w *world) historyIsThere(name string) {
	if w.bubble {
		return
	}
	for range 20 {
		rec, err := w.store.Session(w.t.Context(), w.prefix+name)
		if err != nil {
			return
		}
		newest, err := w.store.Executions(w.t.Context(), rec.ID, engine.HistoryQuery{Newest: true, Limit: 1})
		if err != nil {
			w.t.Fatal(err)
		}
		if seq := gjson.GetBytes(rec.Counters, "seq").Int(); len(newest) > 0 && newest[0].Seq >= seq {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
}

func lines(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}

// goldenState is the state with a line for each step, output and message, without times
// and without what is the engine's own.
func (w *world) goldenState(name string) string {
	text, _, err := w.engine.State(w.t.Context(), w.prefix+name)
	if err != nil {
		w.t.Fatal(err)
	}
	state, err := engine.ParseState(w.prefix+name, text)
	if err != nil {
		return fmt.Sprintf("unreadable: %s\n", text)
	}
	root := gjson.ParseBytes(text)
	var b strings.Builder
	fmt.Fprintf(&b, "{\"status\": %q", state.SessionStatus())
	member(&b, root, "workflow", func(step gjson.Result) string {
		return lastExecuted.ReplaceAllString(step.Raw, "")
	})
	member(&b, root, "data.outputs", func(kept gjson.Result) string { return joinOutputs(kept) })
	b.WriteString(",\n \"messages\": [")
	for i, m := range state.Messages() {
		comma(&b, i)
		fmt.Fprintf(&b, "\n  {\"role\": %q, \"content\": %s, \"step\": %q}", m.Role, text2json(short(m.Content)), m.Step)
	}
	b.WriteString("]")
	root.ForEach(func(k, v gjson.Result) bool {
		switch k.String() {
		case "id", "workflow", "data", "engine", "last_evaluated":
		default:
			fmt.Fprintf(&b, ",\n %s: %s", k.Raw, v.Raw)
		}
		return true
	})
	b.WriteString("}\n")
	return b.String()
}

// member writes an object of the state, a line for each of its keys in their order.
func member(b *strings.Builder, root gjson.Result, path string, value func(gjson.Result) string) {
	fmt.Fprintf(b, ",\n %q: {", path[strings.LastIndex(path, ".")+1:])
	i := 0
	root.Get(path).ForEach(func(k, v gjson.Result) bool {
		comma(b, i)
		fmt.Fprintf(b, "\n  %s: %s", k.Raw, value(v))
		i++
		return true
	})
	b.WriteString("}")
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

// joinOutputs is the kept outputs of a step; LUNA's need not be a list.
func joinOutputs(kept gjson.Result) string {
	if !kept.IsArray() {
		return short(kept.Raw)
	}
	var texts []string
	for _, o := range kept.Array() {
		texts = append(texts, short(o.Raw))
	}
	return "[" + strings.Join(texts, ", ") + "]"
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
		if x.Status == engine.StatusCancelled && len(x.Output) > 0 {
			fmt.Fprintf(&b, " output %s", short(string(x.Output)))
		}
		if len(x.Error) > 0 {
			fmt.Fprintf(&b, " error %s", short(string(x.Error)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// writeLineage writes relations, which a store returns in no order.
func writeLineage(b *strings.Builder, word string, list []engine.Lineage) {
	slices.SortFunc(list, func(x, y engine.Lineage) int {
		return cmp.Or(cmp.Compare(seqOf(x.Execution), seqOf(y.Execution)), cmp.Compare(x.Label, y.Label))
	})
	for i, l := range list {
		if i == 0 {
			b.WriteString(" " + word)
		}
		fmt.Fprintf(b, " %d:%s", seqOf(l.Execution), l.Label)
	}
}

// seqOf is the number in the id of an execution.
func seqOf(id string) int {
	n, err := strconv.Atoi(id[strings.LastIndex(id, "/")+1:])
	if err != nil {
		panic(err)
	}
	return n
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
