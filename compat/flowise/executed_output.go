package flowise

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// shownOutput is what a node's function has put out, as Flowise would have shown it.
func (r *recorder) shownOutput(v *shownVisit) json.RawMessage {
	out := gjson.ParseBytes(v.x.Output)
	var f fields
	switch v.node.name {
	case kindStart:
		out.ForEach(func(key, value gjson.Result) bool {
			switch name := key.String(); name {
			case "question", "form", "webhook", "ephemeralMemory", "persistState":
				f.raw(name, []byte(value.Raw))
			}
			return true
		})
	case kindLLM, kindAgent:
		r.modelOutput(&f, v, out)
	case kindHTTP:
		f.raw("http", httpRecord(out))
	case kindCondition:
		f.raw("conditions", conditionRecord(gjson.ParseBytes(v.x.Input), out))
	case kindConditionAgent:
		f.raw("conditions", scenarioRecord(v.node, out))
		f.raw("content", []byte(out.Get("text").Raw))
	case kindHumanInput:
		answeredRecord(&f, v.node, out)
	case kindLoop:
		f.raw("content", []byte(out.Get("text").Raw))
		f.raw("nodeID", []byte(out.Get("target").Raw))
		f.raw("maxLoopCount", []byte(out.Get("max").Raw))
		if text := out.Get("fallback"); text.String() != "" {
			f.raw("fallbackMessage", []byte(text.Raw))
		}
	case kindIteration:
		if results := out.Get("outputs"); results.Exists() {
			f.raw("iterationResults", []byte(results.Raw))
			f.raw("content", []byte(out.Get("text").Raw))
		}
	case kindCustomFunction:
		f.raw("content", functionContent(out))
	default:
		f.raw("content", []byte(out.Get("text").Raw))
	}
	return f.object()
}

// functionContent is the result of a script: numbers, truths and texts; everything else is text.
func functionContent(out gjson.Result) []byte {
	switch result := out.Get("result"); result.Type {
	case gjson.Number, gjson.True, gjson.False:
		return []byte(result.Raw)
	}
	return []byte(out.Get("text").Raw)
}

// modelOutput is the record of a model's answer: the fields of a structured answer stand
// beside its text.
func (r *recorder) modelOutput(f *fields, v *shownVisit, out gjson.Result) {
	f.raw("content", []byte(out.Get("text").Raw))
	start, end := v.x.StartedAt.UnixMilli(), v.x.FinishedAt.UnixMilli()
	f.set("timeMetadata", map[string]int64{"start": start, "end": end, "delta": end - start})
	if fieldsOf := out.Get("output"); fieldsOf.IsObject() {
		fieldsOf.ForEach(func(key, value gjson.Result) bool {
			f.raw(key.String(), []byte(value.Raw))
			return true
		})
		return
	}
	f.raw("calledTools", []byte("[]"))
	usage := gjson.ParseBytes(v.x.Usage)
	in, said := usage.Get("input_tokens").Int(), usage.Get("output_tokens").Int()
	f.set("usageMetadata", map[string]int64{"input_tokens": in, "output_tokens": said, "total_tokens": max(in+said, out.Get("tokens").Int())})
	if v.node.name == kindAgent {
		if used := r.usedTools(v); len(used) > 0 {
			f.set("usedTools", used)
		}
	}
}

// httpRecord is {data, status, statusText, headers}, header names in lower case as in Node.
func httpRecord(out gjson.Result) json.RawMessage {
	var f, headers fields
	out.Get("headers").ForEach(func(key, value gjson.Result) bool {
		headers.raw(strings.ToLower(key.String()), []byte(value.Raw))
		return true
	})
	status := int(out.Get("status_code").Int())
	f.raw("data", []byte(out.Get("response").Raw))
	f.set("status", status)
	f.set("statusText", http.StatusText(status))
	f.raw("headers", headers.object())
	return f.object()
}

// conditionRecord lists the conditions with the values they were judged by. The one that holds
// is marked; the last one stands for none of them. Only where one of them holds does the last
// say that it does not.
func conditionRecord(in, out gjson.Result) json.RawMessage {
	index, matched := int(out.Get("index").Int()), out.Get("matched").Bool()
	rules := in.Get("rules").Array()
	list := make([]json.RawMessage, 0, len(rules)+1)
	for i, rule := range rules {
		one := ruleRecord(rule)
		if matched && i == index {
			one.raw("isFulfilled", []byte("true"))
		}
		list = append(list, one.object())
	}
	last := fields{}
	last.set("type", "string")
	last.set("value1", "")
	last.set("operation", "equal")
	last.set("value2", "")
	last.set("isFulfilled", !matched)
	return plainJSON(append(list, last.object()))
}

// ruleRecord is a rule of switch in Flowise's words.
func ruleRecord(rule gjson.Result) fields {
	var f fields
	kind := rule.Get("type").String()
	switch kind {
	case "", "text":
		kind = "string"
	}
	f.set("type", kind)
	f.raw("value1", []byte(rule.Get("left").Raw))
	f.set("operation", operationOf(rule.Get("operator").String()))
	f.raw("value2", []byte(rule.Get("right").Raw))
	return f
}

// operationOf is Flowise's name of an operator of switch: not_equal is notEqual.
func operationOf(operator string) string {
	if operator == "matches" {
		return "regex"
	}
	parts := strings.Split(operator, "_")
	for i, part := range parts[1:] {
		if part != "" {
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "")
}

// scenarioRecord lists the scenarios and says which was chosen.
func scenarioRecord(n *shownNode, out gjson.Result) json.RawMessage {
	type scenario struct {
		Output    string `json:"output"`
		Fulfilled bool   `json:"isFulfilled"`
	}
	list := []scenario{}
	for i, one := range rowsOf(n.inputs.Get("conditionAgentScenarios")) {
		list = append(list, scenario{one.Get("scenario").String(), i == int(out.Get("index").Int())})
	}
	return plainJSON(list)
}

// rowsOf is a list that may be given as its JSON text.
func rowsOf(rows gjson.Result) []gjson.Result {
	if rows.Type == gjson.String {
		rows = gjson.Parse(rows.String())
	}
	return rows.Array()
}

// answeredRecord is a human input that was answered.
func answeredRecord(f *fields, n *shownNode, out gjson.Result) {
	confirmed, feedback := out.Get("confirmed").Bool(), remarkOf(out)
	f.set("content", orWord(out, feedback))
	var list []json.RawMessage
	for _, kind := range []string{"proceed", "reject"} {
		one := fields{}
		one.set("type", kind)
		one.set("startNodeId", n.id)
		if feedback != "" && n.inputs.Get("humanInputEnableFeedback").Bool() {
			one.set("feedback", feedback)
		}
		one.set("isFulfilled", (kind == "proceed") == confirmed)
		list = append(list, one.object())
	}
	f.set("conditions", list)
}

// remarkOf is what a person had to say beside the answer.
func remarkOf(out gjson.Result) string {
	if out.Get("response.word").String() != "" {
		return ""
	}
	return out.Get("feedback").String()
}

// orWord is the remark to an answer, else the answer as Flowise calls it.
func orWord(out gjson.Result, remark string) string {
	switch {
	case remark != "":
		return remark
	case out.Get("response.word").String() != "":
		return out.Get("response.word").String()
	case out.Get("confirmed").Bool():
		return "proceed"
	}
	return "reject"
}

// StableID returns a UUID derived from the parts of a name, always the same for the same
// parts.
func StableID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "/")))
	b := sum[:16]
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	text := hex.EncodeToString(b)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
