package functions_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
)

func remoteContext(t *testing.T, name string) (context.Context, *function.Recorder) {
	heard := &function.Recorder{}
	call := &function.Call{Session: "s", Step: "buy", Visit: 2, Function: name, Key: "s/buy/2/1"}
	return function.WithSink(function.WithCall(t.Context(), call), heard), heard
}

func TestRemoteSendsTheCall(t *testing.T) {
	var body, key, auth string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		body, key, auth = string(text), r.Header.Get("Idempotency-Key"), r.Header.Get("Authorization")
		fmt.Fprint(w, `{"output":{"b": 1,"a": [2]},"say":"done"}`)
	}))
	defer server.Close()
	spec, err := functions.Remote("shop.*", server.URL, functions.RemoteOptions{Header: http.Header{"authorization": {"Bearer k"}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, heard := remoteContext(t, "shop.price")
	out, err := spec.Function.Call(ctx, json.RawMessage(`{"item":"<tea>"}`))
	if err != nil || string(out) != `{"b": 1,"a": [2]}` {
		t.Errorf("got %s, %v", out, err)
	}
	if want := `{"function":"shop.price","input":{"item":"<tea>"},"session":"s","step":"buy","visit":2,"key":"s/buy/2/1"}`; body != want {
		t.Errorf("sent %s\nwant %s", body, want)
	}
	if key != "s/buy/2/1" || auth != "Bearer k" {
		t.Errorf("key %q, authorization %q", key, auth)
	}
	if len(heard.Said) != 1 || heard.Said[0] != "done" {
		t.Errorf("said %q", heard.Said)
	}
}

func TestRemoteAnswers(t *testing.T) {
	tests := []struct {
		name      string
		status    int
		answer    string
		out, err  string
		kind      string
		transient bool
		after     time.Duration
	}{
		{name: "null output", status: 200, answer: `{"output":null}`, out: `null`},
		{name: "refusal", status: 200, answer: `{"error":"sold out"}`, err: "sold out", kind: "failed"},
		{name: "failure that may pass", status: 200, answer: `{"error":{"message":"busy","kind":"stock"},"transient":true,"retry_after":2}`, err: "busy", kind: "stock", transient: true, after: 2 * time.Second},
		{name: "429", status: 429, answer: `slow down`, err: "429 Too Many Requests", kind: "failed", transient: true, after: 9 * time.Second},
		{name: "500", status: 500, answer: `{"error":"oops"}`, err: "oops", kind: "failed", transient: true, after: 9 * time.Second},
		{name: "404", status: 404, answer: ``, err: "404 Not Found", kind: "failed", after: 9 * time.Second},
		{name: "redirect", status: 302, answer: ``, err: "302 Found", kind: "failed", after: 9 * time.Second},
		{name: "no JSON", status: 200, answer: `<html>`, err: "answer: invalid character", kind: "bad_response"},
		{name: "nothing in it", status: 200, answer: `{}`, err: "none of output, error and await", kind: "bad_response"},
		{name: "too large", status: 200, answer: `{"output":"` + strings.Repeat("x", 2<<20) + `"}`, err: "larger than", kind: function.KindTooLarge},
		{name: "select without options", status: 200, answer: `{"await":{"kind":"select","prompt":"p"}}`, err: "await: a select needs options", kind: "bad_response"},
		{name: "unknown question", status: 200, answer: `{"await":{"kind":"quiz","prompt":"p"}}`, err: `kind "quiz"`, kind: "bad_response"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if test.status >= 300 {
					w.Header().Set("Retry-After", "9")
					w.Header().Set("Location", "/elsewhere")
				}
				w.WriteHeader(test.status)
				io.WriteString(w, test.answer)
			}))
			defer server.Close()
			out, err := callRemote(t, server.URL, "shop.x", `{}`)
			if test.err == "" {
				if err != nil || string(out) != test.out {
					t.Errorf("got %s, %v, want %s", out, err, test.out)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Fatalf("got %s, %v, want an error with %q", out, err, test.err)
			}
			var call *function.CallError
			errors.As(err, &call)
			if function.KindOf(err) != test.kind || function.IsTransient(err) != test.transient || call.RetryAfter != test.after {
				t.Errorf("error %v: kind %s, transient %t, after %s", err, function.KindOf(err), function.IsTransient(err), call.RetryAfter)
			}
		})
	}
}

func TestRemoteAwaits(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"await":{"prompt":"Size?","kind":"select","options":["S",{"text":"M","value":2}],"due":"2h","on_due":"S","schema":{"type":"string"}}}`)
	}))
	defer server.Close()
	_, err := callRemote(t, server.URL, "shop.x", `{}`)
	var ask *function.AwaitInput
	if !errors.As(err, &ask) {
		t.Fatal(err)
	}
	if ask.Kind != function.AskSelect || ask.Prompt != "Size?" || len(ask.Options) != 2 || string(ask.Options[1].Value) != "2" ||
		ask.Due != 2*time.Hour || string(ask.OnDue) != `"S"` || string(ask.Schema) != `{"type":"string"}` || ask.Entry != nil {
		t.Errorf("question = %+v", ask)
	}
}

func TestRemoteWithoutServer(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := callRemote(t, server.URL, "shop.x", `{}`)
	if !function.IsTransient(err) || function.KindOf(err) != "connection" || !strings.Contains(err.Error(), "refused") {
		t.Errorf("no connection: %v, kind %s, transient %t", err, function.KindOf(err), function.IsTransient(err))
	}
	for _, address := range []string{"", "shop", "ftp://shop", "http://", "http://[::"} {
		if _, err := functions.Remote("shop.*", address, functions.RemoteOptions{}); err == nil {
			t.Errorf("address %q was taken", address)
		}
	}
}

func TestRemoteCancelled(t *testing.T) {
	reached := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // until then the server does not see the client leave
		close(reached)
		<-r.Context().Done()
	}))
	defer server.Close()
	spec, err := functions.Remote("shop.*", server.URL, functions.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
	if _, err := spec.Function.Call(ctx, json.RawMessage(`{}`)); !errors.Is(err, context.Canceled) || function.IsTransient(err) {
		t.Errorf("a cancelled call gives %v", err)
	}
}

// The example server is started as its README says.
func TestPythonExample(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so the Python example cannot be started")
	}
	command := exec.CommandContext(t.Context(), python, filepath.Join("..", "examples", "remote-python", "server.py"), "0")
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Process.Kill(); command.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line[strings.Index(line, "http://"):])

	if out, err := callRemote(t, address, "shop.price", `{"item":"tea"}`); err != nil || string(out) != `{"item": "tea", "price": 3.5}` {
		t.Errorf("price = %s, %v", out, err)
	}
	if _, err := callRemote(t, address, "shop.price", `{"item":"gin"}`); err == nil || err.Error() != "we do not sell 'gin'" || function.IsTransient(err) {
		t.Errorf("price of gin = %v", err)
	}
	if _, err := callRemote(t, address, "shop.rent", `{}`); err == nil || err.Error() != "no function shop.rent" {
		t.Errorf("unknown function = %v", err)
	}
	_, err = callRemote(t, address, "shop.order", `{"item":"tea"}`)
	var ask *function.AwaitInput
	if !errors.As(err, &ask) || ask.Kind != function.AskConfirm || ask.Prompt != "Order tea?" {
		t.Errorf("order = %v", err)
	}
	for range 2 { // the same key orders once
		if out, err := callRemote(t, address, "shop.order", `{"item":"tea","confirmed":true}`); err != nil || string(out) != `{"order": 1, "item": "tea"}` {
			t.Errorf("order = %s, %v", out, err)
		}
	}
}

func callRemote(t *testing.T, address, function, text string) (json.RawMessage, error) {
	t.Helper()
	spec, err := functions.Remote("shop.*", address, functions.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, _ := remoteContext(t, function)
	return spec.Function.Call(ctx, json.RawMessage(text))
}

// TestRemoteIsOneRequestACall: a server that hangs up on a kept connection was called once, and
// the call fails with a transient error. net/http would send the request again by itself.
func TestRemoteIsOneRequestACall(t *testing.T) {
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Header.Get("Idempotency-Key") == "" {
			t.Error("the call has no Idempotency-Key")
		}
		if calls.Add(1) == 2 {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, `{"output": {}}`)
	}))
	defer server.Close()
	spec, err := functions.Remote("side.*", server.URL, functions.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := function.WithCall(t.Context(), &function.Call{Session: "s", Step: "a", Visit: 1, Key: "s/a/1/1", Function: "side.a"})
	if _, err := spec.Function.Call(ctx, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	_, err = spec.Function.Call(ctx, []byte(`{}`))
	var failed *function.CallError
	if !errors.As(err, &failed) || !failed.Transient || calls.Load() != 2 {
		t.Errorf("%v after %d requests, want a transient error after 2", err, calls.Load())
	}
}
