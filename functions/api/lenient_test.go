package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/api"
)

func TestLenientBodies(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		got = fmt.Sprintf("%s|%s", kind, body)
	}))
	defer server.Close()
	for _, test := range []struct{ kind, body, want string }{
		{"json", `{a:1, b:'x',}`, `application/json|{"a":1,"b":"x"}`},
		{"json", `{"a":1 /* c */ }`, `application/json|{"a":1}`},
		{"json", `\[{\"a\":1}\]`, `application/json|[{"a":1}]`},
		{"json", `'x'`, `application/json|"x"`},
		{"JSON", "  \n", `|`},
		{"raw", `{a:1,}`, `|{a:1,}`},
		{"", `{a:1,}`, `|{a:1,}`},
		{"", ``, `|`},
		{"form", `{a: [1, 2], b: 'x y'}`, `application/x-www-form-urlencoded|a=1&a=2&b=x+y`},
		{"urlencoded", `[{key: 'a', value: 'b'}, {key: 'c', value: ''}]`, `application/x-www-form-urlencoded|a=b`},
		{"form", `a=1&b=2`, `application/x-www-form-urlencoded|a=1&b=2`},
		{"multipart", `{a: 1}`, "multipart/form-data|"},
	} {
		in, err := json.Marshal(map[string]any{"method": "POST", "url": server.URL, "body_type": test.kind, "body": test.body, "lenient": true})
		if err != nil {
			t.Fatal(err)
		}
		out := call(t, api.Options{AllowNet: loopback}, string(in))
		if out.Error != nil || got != test.want && (test.kind != "multipart" || !strings.HasPrefix(got, test.want) || !strings.Contains(got, "name=\"a\"\r\n\r\n1\r\n")) {
			t.Errorf("%s %s: sent %q, %s, want %q", test.kind, test.body, got, show(out.Error), test.want)
		}
	}
	out := call(t, api.Options{AllowNet: loopback}, `{"method":"POST","url":"`+server.URL+`","body_type":"json","body":"{\"a\": }","lenient":true}`)
	if want := "body: the text is not JSON, which body_type says it is: line 1, column 7: want a value, not '}'"; out.Error == nil || *out.Error != want {
		t.Errorf("error %s, want %s", show(out.Error), want)
	}
}

// TestRaiseConnection: statuses are outputs, whatever leaves no answer is an error.
func TestRaiseConnection(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cut":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half")
		case "/large":
			io.WriteString(w, strings.Repeat("x", 1<<20+1))
		case "/text":
			io.WriteString(w, "plain")
		default:
			w.WriteHeader(http.StatusTeapot)
			io.WriteString(w, `{"message":"no"}`)
		}
	}))
	defer server.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	for _, test := range []struct{ url, more, kind string }{
		{server.URL, ``, ""},
		{server.URL + "/text", `,"response_type":"json"`, ""},
		{server.URL + "/cut", ``, "connection"},
		{server.URL + "/large", ``, function.KindTooLarge},
		{closed.URL, ``, "connection"},
		{"http://10.0.0.1", ``, function.KindDisabled},
		{"ftp://x", ``, "request"},
		{server.URL, `,"method":"POST","body_type":"json","body":"{"`, "request"},
	} {
		text := `{"url":"` + test.url + `","raise":"connection"` + test.more + `}`
		_, err := api.Spec(api.Options{AllowNet: loopback}).Function.Call(t.Context(), json.RawMessage(text))
		var fault *function.CallError
		if test.kind == "" && err != nil || test.kind != "" && (!errors.As(err, &fault) || fault.Kind != test.kind) {
			t.Errorf("%s: %v, want %q", text, err, test.kind)
		}
	}
	out := call(t, api.Options{AllowNet: loopback}, `{"url":"`+server.URL+`","raise":"connection"}`)
	if out.StatusCode != http.StatusTeapot || out.Error == nil || *out.Error != "HTTP 418 I'm a teapot" || string(out.Response) != `{"message":"no"}` {
		t.Errorf("got %+v", out)
	}
	_, err := api.Spec(api.Options{}).Function.Call(t.Context(), json.RawMessage(`{"url":"http://x","raise":"maybe"}`))
	if err == nil || err.Error() != `raise: want true, false or connection, not "maybe"` {
		t.Errorf("got %v", err)
	}
	if problems := api.Spec(api.Options{}).Check(json.RawMessage(`{"url":"http://x","raise":"maybe"}`)); len(problems) != 1 {
		t.Errorf("problems %v", problems)
	}
}
