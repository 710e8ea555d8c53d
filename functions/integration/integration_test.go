package integration_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/integration"
)

func options() integration.Options {
	return integration.Options{
		AllowNet:   []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Getenv:     func(name string, _ *url.URL) (string, bool) { return "t0psecret", name == "TOKEN" },
		RetryDelay: time.Microsecond,
	}
}

func call(t *testing.T, o integration.Options, text string, as *function.Call) integration.Result {
	t.Helper()
	spec := integration.Spec(o)
	in, names := function.BindSecrets(&spec, json.RawMessage(text), json.RawMessage(text))
	as.Secrets = names
	out, err := spec.Function.Call(function.WithCall(t.Context(), as), in)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var r integration.Result
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDescriptions(t *testing.T) {
	long := strings.Repeat("é", 51)
	tests := []struct{ mock, summary, structure string }{
		{`{}`, `{}`, "object with fields:"},
		{`[]`, "[0 items]", "array[0]"},
		{`[[1,"a"],null]`, "[2 items: [2 items: 1]]", "array[2] of array[2] of number"},
		{`{"a":true,"b":null,"c":1.50,"d":"x","e":[],"f":1}`, `{a: true, b: null, c: 1.5, d: "x", e: [0 items], ...}`, "object with fields: a, b, c, d, e, f"},
		{`{"a":{"b":{"c":{"d":1}}}}`, `{a: {b: {c: ...}}}`, "object with fields: a"},
		{`["` + long + `"]`, `[1 items: "` + long[:100] + `..."]`, "array[1] of string"},
		{`[1e3,2]`, "[2 items: 1000]", "array[2] of number"},
		{`{"big":12345678901234567890123,"small":1e-9,"minus":-0.250}`, "{big: 12345678901234567890123, small: 1e-9, minus: -0.25}", "object with fields: big, small, minus"},
		{`[true]`, "[1 items: true]", "array[1] of boolean"},
		{`[null]`, "[1 items: null]", "array[1] of null"},
	}
	for _, test := range tests {
		r := call(t, options(), `{"type":"mock","mock_output":`+test.mock+`}`, &function.Call{})
		if r.Summary != test.summary || r.Structure != test.structure || string(r.Data) != test.mock || !r.Success || r.Metadata.Source != "mock_db" {
			t.Errorf("%s: summary %q, structure %q\nwant %q, %q", test.mock, r.Summary, r.Structure, test.summary, test.structure)
		}
	}
}

func TestRawIsKept(t *testing.T) {
	r := call(t, options(), `{"type":"mock","mock_output":"{\"b\": 1, \"a\": [2]}","arguments":{"q":"x"},"instructions":"Say it kindly.","data_structure":"rows"}`, &function.Call{})
	if want := `{"status":"success","source":"mock_db","data":{"b":1,"a":[2]},"metadata":{"structure":"object with fields: b, a","summary":"{b: 1, a: [1 items: 2]}","keys":["b","a"],"args_received":{"q":"x"}}}`; string(r.Raw) != want {
		t.Errorf("raw %s\nwant %s", r.Raw, want)
	}
	if !strings.HasPrefix(r.Text, `{"result":{"success":true,"data":{"b":1,"a":[2]},"summary":`) || !strings.Contains(r.Text, "Say it kindly.") || !strings.Contains(r.Text, "described as: rows") {
		t.Errorf("a model is told %s", r.Text)
	}
}

func TestCodes(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		switch r.URL.Path {
		case "/500", "/502", "/429":
			status := map[string]int{"/500": 500, "/502": 502, "/429": 429}[r.URL.Path]
			w.WriteHeader(status)
			io.WriteString(w, r.Header.Get("Authorization"))
		case "/slow":
			<-r.Context().Done()
		case "/errors":
			io.WriteString(w, `{"data":null,"errors":[{"message":"no field"},{"message":"no type"}]}`)
		case "/html":
			io.WriteString(w, `<html>`)
		case "/large":
			io.WriteString(w, `"`+strings.Repeat("x", 300<<10)+`"`)
		}
	}))
	defer server.Close()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	tests := []struct {
		name, input, code, message string
		requests                   int
	}{
		{"no url", `{"type":"rest"}`, "REST_NO_URL", "url is missing", 0},
		{"status", `{"type":"rest","url":"URL/500","auth":"bearer","auth_token":"$TOKEN"}`, "REST_500", "HTTP 500: Bearer ***", 1},
		{"bad gateway, thrice", `{"type":"rest","url":"URL/502"}`, "REST_502", "HTTP 502: Bad Gateway", 3},
		{"rate limit, once", `{"type":"rest","url":"URL/429"}`, "REST_429", "HTTP 429: Too Many Requests", 1},
		{"slow, thrice", `{"type":"rest","url":"URL/slow","timeout":0.02}`, "INTEGRATION_TIMEOUT", "no answer within 20ms", 3},
		{"large", `{"type":"rest","url":"URL/large"}`, "INTEGRATION_EXECUTION_ERROR", "larger than 262144 bytes", 1},
		{"no connection", `{"type":"rest","url":"CLOSED"}`, "REST_NETWORK_ERROR", "connection refused", 0},
		{"no secret", `{"type":"rest","url":"URL","auth":"apiKey","auth_token":{"secret":"OTHER"}}`, "INTEGRATION_EXECUTION_ERROR", "there is no secret", 0},
		{"body that is none", `{"type":"rest","url":"URL","method":"POST","body":"x=1","arguments":{"a":1}}`, "INTEGRATION_EXECUTION_ERROR", "body: want a JSON object", 0},
		{"no query", `{"type":"graphql","url":"URL"}`, "GRAPHQL_NO_QUERY", "query is missing", 0},
		{"no graphql url", `{"type":"graphql","query":"{a}"}`, "GRAPHQL_NO_URL", "url is missing", 0},
		{"variables", `{"type":"graphql","url":"URL","query":"{a}","variables":"{"}`, "GRAPHQL_INVALID_VARIABLES", "variables are not", 0},
		{"errors", `{"type":"graphql","url":"URL/errors","query":"{a}"}`, "GRAPHQL_QUERY_ERROR", `[{"message":"no field"},{"message":"no type"}]`, 1},
		{"graphql status", `{"type":"graphql","url":"URL/500","query":"{a}"}`, "GRAPHQL_500", "HTTP 500: Internal Server Error", 1},
		{"no graphql", `{"type":"graphql","url":"URL/html","query":"{a}"}`, "GRAPHQL_QUERY_ERROR", "the answer is not GraphQL", 1},
		{"no graphql connection", `{"type":"graphql","url":"CLOSED","query":"{a}"}`, "GRAPHQL_NETWORK_ERROR", "connection refused", 0},
		{"type", `{"type":"soap","url":"URL"}`, "INTEGRATION_EXECUTION_ERROR", `type "soap"`, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			requests.Store(0)
			r := call(t, options(), strings.NewReplacer("URL", server.URL, "CLOSED", closed.URL).Replace(test.input), &function.Call{})
			if r.Success || r.ErrorCode != test.code || !strings.Contains(r.Error, test.message) || int(requests.Load()) != test.requests {
				t.Errorf("%s (%s) after %d requests\nwant %s (%s) after %d", r.ErrorCode, r.Error, requests.Load(), test.code, test.message, test.requests)
			}
			if r.Summary != "No data returned" || r.Structure != "unknown" || string(r.Data) != string(r.Raw) {
				t.Errorf("result %+v", r)
			}
		})
	}
}

func TestGraphQL(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.Header.Get("X-API-Key") + " " + r.Header.Get("X-Team") + " " + r.Header.Get("Idempotency-Key") + " " + string(body)
		io.WriteString(w, `{"data":{"order":{"id":7}}}`)
	}))
	defer server.Close()
	text := `{"url":"` + server.URL + `","query":"{order(id: ref_0)}","variables":"{\"a\":1,\"b\":2}","arguments":{"b":"$TOKEN","c":null},"auth":"apiKey","auth_token":{"secret":"TOKEN"},"headers":"{\"X-Team\":\"desk\"}"}`
	r := call(t, options(), text, &function.Call{Key: "s/a/1/1", Bindings: json.RawMessage(`{"ref_0":"7\""}`)})
	if want := `POST t0psecret desk s/a/1/1 {"query":"{order(id: \"7\\\"\")}","variables":{"a":1,"b":"$TOKEN","c":null}}`; got != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
	if !r.Success || string(r.Data) != `{"order":{"id":7}}` || r.Metadata.Source != "graphql_api" {
		t.Errorf("result %+v", r)
	}
}

// What the caller of a tool says is never a name of a secret.
func TestArgumentsAreNotExpanded(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.URL.RawQuery }))
	defer server.Close()
	call(t, options(), `{"url":"`+server.URL+`","arguments":{"q":"$TOKEN","n":null,"l":[1,2]}}`, &function.Call{})
	if want := "q=%24TOKEN&l=1&l=2"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

func TestPlaceholder(t *testing.T) {
	r := call(t, options(), `{"arguments":{"a":1}}`, &function.Call{})
	if !r.Success || r.Metadata.Source != "internal" || !strings.Contains(string(r.Data), `"input_args":{"a":1}`) || !strings.Contains(string(r.Data), "received a") {
		t.Errorf("result %+v", r)
	}
}

func TestHandOver(t *testing.T) {
	as := &function.Call{Tools: []function.ToolInfo{{Name: "orders"}}}
	_, err := integration.Spec(options()).Function.Call(function.WithCall(t.Context(), as), json.RawMessage(`{"arguments":{"id":7}}`))
	var asked *function.CallTools
	if !errors.As(err, &asked) || len(asked.Calls) != 1 || asked.Calls[0].Tool != "orders" || string(asked.Calls[0].Arguments) != `{"id":7}` {
		t.Fatalf("the first call gives %v", err)
	}
	tests := []struct {
		result function.ToolResult
		code   string
		data   string
	}{
		{function.ToolResult{Output: json.RawMessage(`{"success":true,"data":{"a":1},"summary":"s","structure":"t","metadata":{"source":"rest_api","duration":7},"text":"x"}`)}, "", `{"a":1}`},
		{function.ToolResult{Output: json.RawMessage(`{"success":false,"data":{},"summary":"s","structure":"t","error":"e","errorCode":"REST_404"}`)}, "REST_404", `{}`},
		{function.ToolResult{Output: json.RawMessage(`[1]`)}, "", `[1]`},
		{function.ToolResult{Output: json.RawMessage(`null`)}, "NORMALIZATION_FAILED", ""},
		{function.ToolResult{Error: &function.SessionError{Message: "broken"}}, "INTEGRATION_EXECUTION_ERROR", ""},
	}
	for _, test := range tests {
		as.Transcript = []function.TranscriptEntry{{Results: []function.ToolResult{test.result}}}
		r := call(t, options(), `{}`, as)
		if r.ErrorCode != test.code || r.Success == (test.code != "") || test.data != "" && string(r.Data) != test.data || r.Metadata.Source != "tool" {
			t.Errorf("%s gives %+v", test.result.Output, r)
		}
	}
}

func TestLatency(t *testing.T) {
	for text, want := range map[string]time.Duration{`250`: 250 * time.Millisecond, `"250"`: 250 * time.Millisecond, `"2s"`: 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			r := call(t, options(), `{"mock_output":[],"latency":`+text+`}`, &function.Call{})
			if took := time.Since(began); took != want || r.Metadata.Duration != want.Milliseconds() {
				t.Errorf("latency %s took %s, duration %d", text, took, r.Metadata.Duration)
			}
		})
	}
	if _, err := integration.Spec(options()).Function.Call(t.Context(), json.RawMessage(`{"mock_output":[],"latency":"2h"}`)); function.KindOf(err) != function.KindBadInput {
		t.Errorf("two hours: %v", err)
	}
}

func TestLogsWithoutSecrets(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"auth":"`+r.Header.Get("Authorization")+`"}`)
	}))
	defer server.Close()
	var b bytes.Buffer
	o := options()
	o.Log = slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r := call(t, o, `{"url":"`+server.URL+`","auth":"bearer","auth_token":"written down"}`, &function.Call{Session: "s", Step: "a"})
	if string(r.Data) != `{"auth":"Bearer ***"}` {
		t.Errorf("data %s", r.Data)
	}
	if text := b.String(); strings.Contains(text, "written down") || !strings.Contains(text, "step=a") || !strings.Contains(text, "normalised=") || !strings.Contains(text, "raw=") {
		t.Errorf("log %s", text)
	}
}

func TestCheck(t *testing.T) {
	spec := integration.Spec(options())
	tests := map[string]int{
		`{"type":"soap"}`: 1, `{}`: 0, `{"type":"rest","url":"x"}`: 1, `{"auth":"digest"}`: 1, `{"mock_output":"{"}`: 1,
		`{"query":"{a(x: \"@{SESSION_ID}.b\")}"}`: 1, `{"type":"@{SESSION_ID}.a","mock_output":"@{SESSION_ID}.b"}`: 0,
	}
	for text, want := range tests {
		if got := spec.Check(json.RawMessage(text)); len(got) != want {
			t.Errorf("%s has problems %v, want %d", text, got, want)
		}
	}
	for _, e := range spec.Examples {
		if problems := spec.Check(e.Input); problems != nil {
			t.Errorf("example %q has problems %v", e.Title, problems)
		}
	}
}
