package graphql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/graphql"
)

var options = graphql.Options{
	AllowNet: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	Getenv:   func(name string, _ *url.URL) (string, bool) { return "t0psecret", name == "TOKEN" },
}

func TestBind(t *testing.T) {
	tests := []struct{ query, bindings, want string }{
		{`{ a(x: ref_0) { b } }`, `{"ref_0":"} mutation { drop"}`, `{ a(x: "} mutation { drop") { b } }`},
		{`{a(x:ref_0,y:ref_1)}`, `{"ref_0":1.50,"ref_1":[true,null,{"k":"q\"\u0041\n"}]}`, `{a(x:1.50,y:[true, null, {k: "q\"A\n"}])}`},
		{`{a(x:$ref_0, y: "ref")} # ref_0`, `{"ref_0":1}`, `{a(x:$ref_0, y: "ref")} # ref_0`},
		{`query($x: ID = ref_0){a(x:$x,ref_01:2)}`, `{"ref_0":{}}`, `query($x: ID = {}){a(x:$x,ref_01:2)}`},
		{`{a(x:"""a " ""b""", y: ref_0)}`, `{"ref_0":"ü\\"}`, `{a(x:"""a " ""b""", y: "ü\\")}`},
		{`{a}`, ``, `{a}`},
	}
	for _, test := range tests {
		if got, err := graphql.Bind(test.query, json.RawMessage(test.bindings)); got != test.want || err != nil {
			t.Errorf("Bind(%s) = %s, %v\nwant %s", test.query, got, err, test.want)
		}
	}
	refused := map[string]string{
		`{a(x:"no ref_0")}`:         "inside quotes",
		`{a(x:"""no ref_0 too""")}`: "inside quotes",
		`{a(x: ref_1)}`:             `"a b"`,
	}
	for query, want := range refused {
		if _, err := graphql.Bind(query, json.RawMessage(`{"ref_0":1,"ref_1":{"k":[{"a b":1}]}}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Bind(%s) = %v, want %s", query, err, want)
		}
	}
}

func TestAsk(t *testing.T) {
	var got string
	answer, status := "", 200
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = fmt.Sprintf("%s %s %s %s %s", r.Method, r.Header.Get("Content-Type"), r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key"), body)
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	defer server.Close()
	text := `{"endpoint":"` + server.URL + `","query":"{a(x: ref_0)}","variables":{"id":7},"operation_name":"A","auth":{"type":"bearer","token":{"secret":"TOKEN"}}}`
	tests := []struct {
		name, answer string
		status       int
		want         string
		kind         string
		transient    bool
	}{
		{"data", `{"data":{"a":1.50},"extensions":{"c":1}}`, 200, `{"data":{"a":1.50},"extensions":{"c":1},"status_code":200,"error":null}`, "", false},
		{"no data", `{"data":null}`, 200, `{"data":null,"status_code":200,"error":null}`, "", false},
		{"errors", `{"data":{"a":null},"errors":[{"message":"no t0psecret"},"odd"]}`, 200, `{"data":{"a":null},"errors":[{"message":"no ***"},"odd"],"status_code":200,"error":"no ***; odd"}`, "graphql_errors", false},
		{"bad status with errors", `{"errors":[{"message":"no field a"}]}`, 400, `{"data":null,"errors":[{"message":"no field a"}],"status_code":400,"error":"HTTP 400 Bad Request: no field a"}`, "status", false},
		{"bad status", `gone`, 503, `{"data":null,"status_code":503,"error":"HTTP 503 Service Unavailable"}`, "status", true},
		{"no JSON", `<html>`, 200, `{"data":null,"status_code":200,"error":"the answer is not GraphQL: want a JSON object with data or errors"}`, "bad_response", false},
		{"neither", `{}`, 200, `{"data":null,"status_code":200,"error":"the answer is not GraphQL: it has neither data nor errors"}`, "bad_response", false},
	}
	ctx := function.WithCall(t.Context(), &function.Call{Key: "s/a/1/1", Bindings: json.RawMessage(`{"ref_0":"x\") {y} #"}`)})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer, status = test.answer, test.status
			out, err := bound(ctx, text)
			if err != nil || string(out) != test.want {
				t.Errorf("got %s, %v\nwant %s", out, err, test.want)
			}
			if want := `POST application/json Bearer t0psecret s/a/1/1 {"query":"{a(x: \"x\\\") {y} #\")}","variables":{"id":7},"operationName":"A"}`; got != want {
				t.Errorf("sent %s\nwant %s", got, want)
			}
			_, err = bound(ctx, strings.Replace(text, "{", `{"raise":true,`, 1))
			if test.kind == "" && err != nil || test.kind != "" && (function.KindOf(err) != test.kind || function.IsTransient(err) != test.transient) {
				t.Errorf("raised %v of kind %s", err, function.KindOf(err))
			}
		})
	}
}

// bound calls the function as the engine does: with the names of secrets in the text bound.
func bound(ctx context.Context, text string) (json.RawMessage, error) {
	spec := graphql.Spec(options)
	in, names := function.BindSecrets(&spec, json.RawMessage(text), json.RawMessage(text))
	call := *function.CallOf(ctx)
	call.Secrets = names
	return spec.Function.Call(function.WithCall(ctx, &call), in)
}

func TestRefused(t *testing.T) {
	for _, text := range []string{`{"endpoint":"https://a"}`, `{"query":"{a}"}`, `{"endpoint":"https://a","query":"{a}","variables":[1]}`, `{"endpoint":"https://a","query":"{a}","retries":99}`} {
		if _, err := graphql.Spec(options).Function.Call(t.Context(), json.RawMessage(text)); function.KindOf(err) != function.KindBadInput {
			t.Errorf("%s gives %v", text, err)
		}
	}
	_, err := graphql.Spec(graphql.Options{}).Function.Call(t.Context(), json.RawMessage(`{"endpoint":"http://127.0.0.1:1/","query":"{a}"}`))
	if function.KindOf(err) != function.KindDisabled || !strings.Contains(err.Error(), "address 127.0.0.1 is not on the public internet") {
		t.Errorf("our own network is reached: %v", err)
	}
}

func TestCheck(t *testing.T) {
	spec := graphql.Spec(options)
	tests := map[string]int{
		`{"endpoint":"https://a","query":"{a(x: @{SESSION_ID}.b)}"}`:     0,
		`{"endpoint":"https://a","query":"{a(x: \"@{SESSION_ID}.b\")}"}`: 1,
		`{"endpoint":"@{SESSION_ID}.b","query":"{a}","variables":1}`:     1,
		`{}`: 2,
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
