package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/api"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func TestRequests(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = fmt.Sprintf("%s %s|%s|%s|%s|%s", r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), r.Header.Get("X-N"), r.Header.Get("Idempotency-Key"), body)
		fmt.Fprint(w, `{}`)
	}))
	defer server.Close()
	tests := []struct{ name, input, want string }{
		{"plain", `{"url":"URL/a?x=1"}`, "GET /a?x=1||||"},
		{"params in order", `{"url":"URL?x=1","params":{"q":"Oslo & co","units":"metric","n":[1,true,null],"none":null,"o":{"a":1}}}`, "GET /?x=1&q=Oslo+%26+co&units=metric&n=1&n=true&o=%7B%22a%22%3A1%7D||||"},
		{"params as text", `{"url":"URL","params":"?a=b"}`, "GET /?a=b||||"},
		{"json_data", `{"method":"post","url":"URL","json_data":{"b": 1.50,"a":null}}`, `POST /|application/json||s/a/1/1|{"b":1.50,"a":null}`},
		{"json", `{"method":"PUT","url":"URL","json":[1],"json_data":null}`, `PUT /|application/json||s/a/1/1|[1]`},
		{"form", `{"method":"POST","url":"URL","data":{"b":"1 2","a":[3,4]}}`, `POST /|application/x-www-form-urlencoded||s/a/1/1|b=1+2&a=3&a=4`},
		{"text", `{"method":"PATCH","url":"URL","data":"raw","headers":{"Content-Type":"text/csv","X-N":7}}`, `PATCH /|text/csv|7|s/a/1/1|raw`},
		{"body", `{"method":"DELETE","url":"URL","body":{"a":1}}`, `DELETE /|application/json||s/a/1/1|{"a":1}`},
		{"query and rows", `{"url":"URL","params":{"a":"1"},"query":[{"key":"b","value":["2",3]},{"name":"","value":"x"},{"name":"c","value":""}]}`, "GET /?a=1&b=2&b=3||||"},
		{"headers as rows", `{"url":"URL","headers":[{"key":"X-N","value":"7"}]}`, "GET /||7||"},
		{"urlencoded list", `{"method":"POST","url":"URL","body_type":"urlencoded","body":{"a":["x","y"],"b":true}}`, `POST /|application/x-www-form-urlencoded||s/a/1/1|a=x&a=y&b=true`},
		{"urlencoded rows", `{"method":"POST","url":"URL","body_type":"form","body":[{"key":"a","value":"x y"},{"key":"a","value":"z"}]}`, `POST /|application/x-www-form-urlencoded||s/a/1/1|a=x+y&a=z`},
		{"JSON from a text", `{"method":"POST","url":"URL","body_type":"json","body":"{\"a\": 1}"}`, `POST /|application/json||s/a/1/1|{"a": 1}`},
		{"an object as raw text", `{"method":"POST","url":"URL","body_type":"raw","body":{"a":1}}`, `POST /|||s/a/1/1|{"a":1}`},
		{"own key", `{"method":"POST","url":"URL","headers":{"idempotency-key":"mine","X-N":null}}`, `POST /|||mine|`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := call(t, api.Options{AllowNet: loopback}, strings.ReplaceAll(test.input, "URL", server.URL))
			if out.Error != nil || out.StatusCode != 200 {
				t.Fatalf("status %d, error %s", out.StatusCode, show(out.Error))
			}
			if got != test.want {
				t.Errorf("sent %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		name, kind, body string
		status           int
		want             string
	}{
		{"JSON", "application/json; charset=utf-8", `{"b": 1.50, "a": [12345678901234567890]}`, 200, `{"status_code":200,"response":{"b":1.50,"a":[12345678901234567890]},"error":null}`},
		{"JSON by another name", "application/vnd.github.v3+json", `"x"`, 200, `{"status_code":200,"response":"x","error":null}`},
		{"JSON unannounced", "text/plain", " [1]", 200, `{"status_code":200,"response":[1],"error":null}`},
		{"broken JSON", "application/json", `{"a":`, 200, `{"status_code":200,"response":"{\"a\":","error":null}`},
		{"text", "text/plain", `123`, 200, `{"status_code":200,"response":"123","error":null}`},
		{"no body", "application/json", ``, 204, `{"status_code":204,"response":"","error":null}`},
		{"bytes", "image/png", "\xff\xfe", 200, `{"status_code":200,"response":"�","error":null}`},
		{"not found", "application/json", `{"message":"no"}`, 404, `{"status_code":404,"response":{"message":"no"},"error":"HTTP 404 Not Found"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				w.Header()["X-Two"] = []string{"a", "b"}
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			}))
			defer server.Close()
			out := call(t, api.Options{AllowNet: loopback}, `{"url":"`+server.URL+`"}`)
			if out.Headers["X-Two"] != "a, b" || out.Headers["Content-Type"] != test.kind {
				t.Errorf("headers %v", out.Headers)
			}
			got := fmt.Sprintf(`{"status_code":%d,"response":%s,"error":%s}`, out.StatusCode, out.Response, show(out.Error))
			if got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

// What was answered is given as text too where the step asks for it.
func TestText(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "{ \"a\": 1 }\n")
	}))
	defer server.Close()
	out := call(t, api.Options{AllowNet: loopback}, `{"url":"`+server.URL+`","text":true,"status_text":true}`)
	if out.Text == nil || *out.Text != "{ \"a\": 1 }\n" || string(out.Response) != `{"a":1}` || out.StatusText != "Not Found" {
		t.Errorf("got %+v", out)
	}
	if out := call(t, api.Options{AllowNet: loopback}, `{"url":"`+server.URL+`"}`); out.Text != nil || out.StatusText != "" {
		t.Errorf("got %+v without asking", out)
	}
}

func TestFailuresAreOutputsOrRaised(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "3")
		switch r.URL.Path {
		case "/busy":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/large":
			w.Write(make([]byte, 1<<20+1))
		case "/escapes": // each byte becomes six in the output
			io.WriteString(w, strings.Repeat("\x01", 300_000))
		case "/slow":
			<-r.Context().Done()
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/cut":
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "123")
		}
	}))
	defer server.Close()
	tests := []struct {
		name, input string
		status      int
		err         string
		kind        string
		transient   bool
	}{
		{"refused connection", `{"url":"` + closed.URL + `"}`, 0, "connection refused", "connection", true},
		{"unknown host", `{"url":"http://nowhere.invalid/?key=secret"}`, 0, "GET nowhere.invalid: ", "connection", false},
		{"no address", `{"url":{"a":1}}`, 0, `url: want an http or https address, not "{\"a\":1}"`, "request", false},
		{"another scheme", `{"url":"file:///etc/passwd"}`, 0, "want an http or https address", "request", false},
		{"method", `{"url":"URL","method":"GET IT"}`, 0, "method: want a word such as GET", "request", false},
		{"header", `{"url":"URL","headers":{"X-A":"a\r\nX-B: b"}}`, 0, `header "X-A": the name or its value is not possible in HTTP`, "request", false},
		{"header name", `{"url":"URL","headers":{"X A":"a"}}`, 0, `header "X A"`, "request", false},
		{"429", `{"url":"URL/busy"}`, 429, "HTTP 429 Too Many Requests", "status", true},
		{"large", `{"url":"URL/large"}`, 200, "the answer is larger than 1048576 bytes", function.KindTooLarge, false},
		{"large once escaped", `{"url":"URL/escapes"}`, 200, "the answer is larger than 1048576 bytes", function.KindTooLarge, false},
		{"slow", `{"url":"URL/slow","timeout":0.05}`, 0, "no answer within 50ms", function.KindTimeout, true},
		{"redirects", `{"url":"URL/round"}`, 0, "more than 5 redirects", "redirects", false},
		{"cut", `{"url":"URL/cut"}`, 200, "unexpected EOF", "connection", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := strings.ReplaceAll(test.input, "URL", server.URL)
			out := call(t, api.Options{AllowNet: loopback}, text)
			if out.StatusCode != test.status || out.Error == nil || !strings.Contains(*out.Error, test.err) || strings.Contains(*out.Error, "secret") {
				t.Errorf("status %d, error %s\nwant %q", out.StatusCode, show(out.Error), test.err)
			}
			if test.status == 0 && (string(out.Response) != "null" || out.Headers == nil) {
				t.Errorf("response %s, headers %v, want none", out.Response, out.Headers)
			}
			_, err := api.Spec(api.Options{AllowNet: loopback}).Function.Call(t.Context(), json.RawMessage(strings.Replace(text, "{", `{"raise":true,`, 1)))
			var raised *function.CallError
			if !errors.As(err, &raised) || raised.Kind != test.kind || function.IsTransient(err) != test.transient {
				t.Fatalf("raised %v, kind %s, transient %t", err, function.KindOf(err), function.IsTransient(err))
			}
			if test.status == 429 && raised.RetryAfter != 3*time.Second {
				t.Errorf("retry after %s", raised.RetryAfter)
			}
		})
	}
}

func TestBadInput(t *testing.T) {
	for _, text := range []string{`{}`, `{"url":"http://a","params":[1]}`, `{"url":"http://a","response_type":"xml"}`, `{"url":"http://a","body_type":"xml","body":"x"}`, `{"url":"http://a","retries":11}`, `{"url":"http://a","retry_statuses":["x"]}`, `{"url":"http://a","auth":{"type":"digest"}}`, `{"url":"http://a","auth":{"type":"bearer"}}`, `{"url":"http://a","headers":"x"}`, `{"url":"http://a","json":1,"data":"x"}`, `{"url":"http://a","timeout":"soon"}`} {
		if _, err := api.Spec(api.Options{}).Function.Call(t.Context(), json.RawMessage(text)); function.KindOf(err) != function.KindBadInput {
			t.Errorf("%s gives %v", text, err)
		}
	}
}

func TestBlockedAddress(t *testing.T) {
	hits := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ }))
	defer server.Close()
	spec := api.Spec(api.Options{})
	for _, address := range []string{server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)} {
		_, err := spec.Function.Call(t.Context(), json.RawMessage(`{"url":"`+address+`"}`))
		if function.KindOf(err) != function.KindDisabled || !strings.Contains(err.Error(), "is not on the public internet") || !strings.Contains(err.Error(), "--allow-net ") || hits != 0 {
			t.Errorf("%s: error %v, %d requests", address, err, hits)
		}
		found := spec.Check(json.RawMessage(`{"url":"` + address + `"}`))
		if len(found) != 1 || found[0].Code != "closed_address" || found[0].Level != "warning" {
			t.Errorf("%s: problems %+v", address, found)
		}
	}
	if found := api.Spec(api.Options{AllowNet: loopback}).Check(json.RawMessage(`{"url":"http://127.0.0.1:80"}`)); len(found) != 0 {
		t.Errorf("an open address: problems %+v", found)
	}
}

const token = `s3cr/et"&x`

func open(name string, to *url.URL) (string, bool) {
	return token, name == "API_TOKEN" && to.Hostname() == "127.0.0.1"
}

// bound calls the function as the engine does: with the names of secrets in the text bound.
func bound(ctx context.Context, o api.Options, text string) (json.RawMessage, error) {
	spec := api.Spec(o)
	in, names := function.BindSecrets(&spec, json.RawMessage(text), json.RawMessage(text))
	call := *function.CallOf(ctx)
	call.Secrets = names
	return spec.Function.Call(function.WithCall(ctx, &call), in)
}

func TestSecrets(t *testing.T) {
	var authorization, query string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization, query = r.Header.Get("Authorization"), r.URL.Query().Get("appid")
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Echo", authorization)
		echo, _ := json.Marshal(map[string]string{"auth": authorization, "uri": r.URL.RequestURI()})
		fmt.Fprintf(w, `{"go":%s,"php":"%s"}`, echo, `s3cr\/et\"&x`)
	}))
	defer server.Close()
	o := api.Options{AllowNet: loopback, Getenv: open}
	text := `{"url":"` + server.URL + `","headers":{"Authorization":"Bot $API_TOKEN","X-Price":"$5"},"params":{"appid":"${API_TOKEN}","other":"$OTHER"}}`
	raw, err := bound(t.Context(), o, text)
	if err != nil {
		t.Fatal(err)
	}
	if authorization != "Bot "+token || query != token {
		t.Errorf("sent authorization %q, appid %q", authorization, query)
	}
	if strings.Contains(string(raw), "s3cr") || !strings.Contains(string(raw), "***") {
		t.Errorf("the output shows the secret: %s", raw)
	}
	if !strings.Contains(string(raw), "other=%24OTHER") {
		t.Errorf("a name without value was changed: %s", raw)
	}
	closed := call(t, o, `{"url":"http://localhost:1","headers":{"Authorization":"$API_TOKEN"}}`)
	if want := "header Authorization: $API_TOKEN is not open to workflows for http://localhost:1; the operator can store it with secret set API_TOKEN --host http://localhost:1, or open the variable of the environment with env: [\"API_TOKEN@http://localhost:1\"] in the configuration"; show(closed.Error) != fmt.Sprintf("%q", want) {
		t.Errorf("error %s\nwant %s", show(closed.Error), want)
	}
}

func TestSecretsStayWithTheFirstServer(t *testing.T) {
	var elsewhere http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { elsewhere = r.Header.Clone() }))
	defer other.Close()
	var again http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/here":
			http.Redirect(w, r, "/end", http.StatusFound)
		default:
			again = r.Header.Clone()
		}
	}))
	defer server.Close()
	o := api.Options{AllowNet: loopback, Getenv: open}
	text := `{"url":"` + server.URL + `%s","headers":{"X-Api-Key":"$API_TOKEN","X-Plain":"p"},"params":{"key":"$API_TOKEN"}}`
	call(t, o, fmt.Sprintf(text, "/away"))
	if elsewhere.Get("X-Api-Key") != "" || elsewhere.Get("Referer") != "" || elsewhere.Get("X-Plain") != "p" {
		t.Errorf("the other server got %v", elsewhere)
	}
	call(t, o, fmt.Sprintf(text, "/here"))
	if again.Get("X-Api-Key") != token || again.Get("Referer") != "" {
		t.Errorf("the same server got %v", again)
	}
}

func TestCancelled(t *testing.T) {
	reached := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { close(reached); <-r.Context().Done() }))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
	_, err := api.Spec(api.Options{AllowNet: loopback}).Function.Call(ctx, json.RawMessage(`{"url":"`+server.URL+`"}`))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled request gives %v", err)
	}
}

func call(t *testing.T, o api.Options, text string) api.Output {
	t.Helper()
	ctx := function.WithCall(t.Context(), &function.Call{Key: "s/a/1/1"})
	raw, err := bound(ctx, o, text)
	if err != nil {
		t.Fatal(err)
	}
	var out api.Output
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func show(text *string) string {
	if text == nil {
		return "null"
	}
	return fmt.Sprintf("%q", *text)
}
