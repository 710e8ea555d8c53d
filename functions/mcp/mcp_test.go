package mcp_test

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
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/mcp"
)

// asServer makes this test binary an MCP server on its standard input and output.
const asServer = "STEPGRAPH_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, "started with", os.Getenv("TOKEN"))
	switch os.Getenv(asServer) {
	case "broken":
		os.Exit(3)
	case "silent":
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			os.Exit(1)
		}
		return
	}
	if err := server(nil).Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

type arguments struct {
	Text string `json:"text,omitempty" jsonschema:"what to say"`
}

// server has a tool for each way a call can end.
// The slow one ends with ctx or with stop.
func server(stop <-chan struct{}) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test"}, nil)
	texts := func(list ...string) (*sdk.CallToolResult, any, error) {
		r := &sdk.CallToolResult{}
		for _, text := range list {
			r.Content = append(r.Content, &sdk.TextContent{Text: text})
		}
		return r, nil, nil
	}
	add := func(name string, f func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, any, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "Does " + name + ".", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: name == "echo"}}, f)
	}
	add("echo", func(_ context.Context, r *sdk.CallToolRequest, in arguments) (*sdk.CallToolResult, any, error) {
		return texts(in.Text, fmt.Sprint(r.Params.Meta["stepgraph/key"]))
	})
	add("pid", func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, any, error) {
		return texts(strconv.Itoa(os.Getpid()))
	})
	add("env", func(_ context.Context, _ *sdk.CallToolRequest, in arguments) (*sdk.CallToolResult, any, error) {
		return texts(os.Getenv(in.Text))
	})
	add("fail", func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("the shop is closed")
	})
	add("large", func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, any, error) {
		return texts(strings.Repeat("x", 1<<20))
	})
	add("slow", func(ctx context.Context, _ *sdk.CallToolRequest, _ arguments) (*sdk.CallToolResult, any, error) {
		select {
		case <-ctx.Done():
		case <-stop:
		}
		return texts("stopped")
	})
	add("die", func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, any, error) {
		os.Exit(9)
		return nil, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "sum"}, func(_ context.Context, _ *sdk.CallToolRequest, in struct {
		A int `json:"a"`
		B int `json:"b"`
	}) (*sdk.CallToolResult, struct {
		Sum int `json:"sum"`
	}, error) {
		return nil, struct {
			Sum int `json:"sum"`
		}{in.A + in.B}, nil
	})
	return s
}

func options(t *testing.T) mcp.Options {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Options{
		Servers: map[string]mcp.Server{
			"test":   {Command: self, Env: map[string]string{asServer: "1", "TOKEN": "$API_TOKEN"}},
			"few":    {Command: self, Env: map[string]string{asServer: "1"}, Tools: []string{"echo", "pid"}},
			"broken": {Command: self, Env: map[string]string{asServer: "broken", "TOKEN": "${API_TOKEN}"}},
			"silent": {Command: self, Env: map[string]string{asServer: "silent"}},
			"absent": {Command: "/no/such/command"},
			"nobody": {Command: self, Env: map[string]string{"TOKEN": "$NOBODY"}},
			"empty":  {},
		},
		Lookup: func(name string, _ *url.URL) (string, bool) { return "t0psecret", name == "API_TOKEN" },
	}
}

func open(t *testing.T, o mcp.Options) *mcp.Pool {
	t.Helper()
	p := mcp.NewPool(o)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func call(t *testing.T, p *mcp.Pool, text string) (mcp.Output, error) {
	t.Helper()
	ctx := function.WithCall(t.Context(), &function.Call{Key: "s/a/1/1"})
	raw, err := mcp.Spec(p).Function.Call(ctx, json.RawMessage(text))
	var out mcp.Output
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

func TestCallsOverStdio(t *testing.T) { callsAnswer(t, open(t, options(t)), "test") }

func TestCallsOverHTTP(t *testing.T) {
	stop := make(chan struct{})
	s := server(stop)
	var mu sync.Mutex
	authorized := true
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		authorized = authorized && r.Header.Get("Authorization") == "Bearer t0psecret"
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	t.Cleanup(func() { close(stop) })
	o := options(t)
	o.Servers["web"] = mcp.Server{URL: web.URL, Headers: map[string]string{"Authorization": "Bearer $API_TOKEN"}}
	o.AllowNet = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	callsAnswer(t, open(t, o), "web")
	mu.Lock()
	defer mu.Unlock()
	if !authorized {
		t.Error("a request came without the header of the configuration")
	}
	o.AllowNet = nil
	if _, err := call(t, open(t, o), `{"server":"web","tool":"echo"}`); err == nil || !strings.Contains(err.Error(), "address 127.0.0.1 is not on the public internet") || function.IsTransient(err) {
		t.Errorf("our own network is reached: %v", err)
	}
}

func callsAnswer(t *testing.T, p *mcp.Pool, server string) {
	t.Helper()
	tests := []struct {
		tool, arguments string
		want            mcp.Output
	}{
		{"echo", `{"text":"<hi>"}`, mcp.Output{Content: json.RawMessage(`[{"type":"text","text":"<hi>"},{"type":"text","text":"s/a/1/1"}]`), Structured: json.RawMessage("null"), Text: "<hi>\ns/a/1/1"}},
		{"echo", `"{\"text\":\"x\"}"`, mcp.Output{Content: json.RawMessage(`[{"type":"text","text":"x"},{"type":"text","text":"s/a/1/1"}]`), Structured: json.RawMessage("null"), Text: "x\ns/a/1/1"}},
		{"sum", `{"a":1,"b":2}`, mcp.Output{Content: json.RawMessage(`[{"type":"text","text":"{\"sum\":3}"}]`), Structured: json.RawMessage(`{"sum":3}`), Text: `{"sum":3}`}},
		{"fail", `{}`, mcp.Output{Content: json.RawMessage(`[{"type":"text","text":"the shop is closed"}]`), Structured: json.RawMessage("null"), Text: "the shop is closed", IsError: true}},
	}
	for _, test := range tests {
		out, err := call(t, p, `{"server":"`+server+`","tool":"`+test.tool+`","arguments":`+test.arguments+`}`)
		if err != nil || !same(out, test.want) {
			t.Errorf("%s %s: %+v, %v\nwant %+v", test.tool, test.arguments, out, err, test.want)
		}
	}
	faults := []struct{ input, kind, message string }{
		{`"tool":"fail","raise":true`, "tool_failed", "the shop is closed"},
		{`"tool":"nowhere"`, function.KindFailed, "nowhere"},
		{`"tool":"large"`, function.KindTooLarge, "larger than 1048576 bytes"},
		{`"tool":"slow","timeout":0.05`, function.KindTimeout, "no answer within 50ms"},
	}
	for _, test := range faults {
		_, err := call(t, p, `{"server":"`+server+`",`+test.input+`}`)
		if function.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.message) || function.IsTransient(err) != (test.kind == function.KindTimeout) {
			t.Errorf("%s: %v of kind %s, transient %t", test.input, err, function.KindOf(err), function.IsTransient(err))
		}
	}
	if out, err := call(t, p, `{"server":"`+server+`","tool":"echo"}`); err != nil || out.IsError {
		t.Errorf("after a call that took too long: %+v, %v", out, err)
	}
}

// same compares two outputs as JSON, whatever their escapes.
func same(a, b mcp.Output) bool {
	decode := func(o mcp.Output) (v any) {
		text, err := json.Marshal(o)
		if err != nil || json.Unmarshal(text, &v) != nil {
			return err
		}
		return v
	}
	return reflect.DeepEqual(decode(a), decode(b))
}

func TestRefused(t *testing.T) {
	p := open(t, options(t))
	tests := map[string]string{
		`{"server":"other","tool":"x"}`:                   `server: there is no MCP server "other"; there are absent, broken, empty, few, nobody, silent, test`,
		`{"tool":"x"}`:                                    `server: there is no MCP server ""`,
		`{"server":"test"}`:                               "tool: the name is missing",
		`{"server":"few","tool":"env"}`:                   `workflows may not call "env" of the MCP server few; its tools in the configuration are echo, pid`,
		`{"server":"test","tool":"echo","arguments":[1]}`: "arguments: want an object",
		`{"server":"empty","tool":"x"}`:                   "MCP server empty: it has neither a command nor a url",
		`{"server":"nobody","tool":"x"}`:                  `MCP server nobody: env TOKEN: there is no secret or variable "NOBODY"`,
	}
	for text, want := range tests {
		if _, err := call(t, p, text); function.KindOf(err) != function.KindBadInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v\nwant %s", text, err, want)
		}
	}
	if spec := mcp.Spec(nil); !strings.Contains(spec.Disabled, "no MCP server is configured") {
		t.Errorf("disabled: %q", spec.Disabled)
	}
}

func TestServersThatDoNotStart(t *testing.T) {
	p := open(t, options(t))
	for server, want := range map[string]string{"absent": "no such file", "broken": "it wrote: started with ***"} {
		_, err := call(t, p, `{"server":"`+server+`","tool":"x"}`)
		if function.KindOf(err) != "connection" || !function.IsTransient(err) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "t0psecret") {
			t.Errorf("%s: %v of kind %s\nwant %s", server, err, function.KindOf(err), want)
		}
	}
}

func TestServerThatSaysNothing(t *testing.T) {
	o := options(t)
	o.Timeout = 100 * time.Millisecond
	_, err := call(t, open(t, o), `{"server":"silent","tool":"x"}`)
	if !function.IsTransient(err) || !strings.Contains(err.Error(), "MCP server silent: ") {
		t.Errorf("a server that says nothing gives %v", err)
	}
}

func TestServerThatDiesIsStartedAnew(t *testing.T) {
	p := open(t, options(t))
	first, err := call(t, p, `{"server":"test","tool":"pid"}`)
	if err != nil {
		t.Fatal(err)
	}
	again, err := call(t, p, `{"server":"test","tool":"pid"}`)
	if err != nil || again.Text != first.Text {
		t.Errorf("a second call went to process %s, not %s: %v", again.Text, first.Text, err)
	}
	if _, err := call(t, p, `{"server":"test","tool":"die"}`); function.KindOf(err) != "connection" || !function.IsTransient(err) {
		t.Errorf("a server that dies gives %v of kind %s", err, function.KindOf(err))
	}
	anew, err := call(t, p, `{"server":"test","tool":"pid"}`)
	if err != nil || anew.Text == first.Text {
		t.Errorf("after its death: process %s, %v", anew.Text, err)
	}
}

func TestIdleServerIsClosed(t *testing.T) {
	o := options(t)
	o.Idle = time.Millisecond
	p := open(t, o)
	first, err := call(t, p, `{"server":"test","tool":"pid"}`)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(first.Text)
	if err != nil {
		t.Fatal(err)
	}
	waitForEnd(t, pid)
	if anew, err := call(t, p, `{"server":"test","tool":"pid"}`); err != nil || anew.Text == first.Text {
		t.Errorf("after it was closed: process %s, %v", anew.Text, err)
	}
}

func TestEnvironmentIsNotInherited(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "of the engine")
	p := open(t, options(t))
	for name, want := range map[string]string{"OPENAI_API_KEY": "", "TOKEN": "t0psecret", "PATH": os.Getenv("PATH")} {
		if out, err := call(t, p, `{"server":"test","tool":"env","arguments":{"text":"`+name+`"}}`); err != nil || out.Text != want {
			t.Errorf("the server has $%s = %q, %v", name, out.Text, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	p := open(t, options(t))
	if _, err := call(t, p, `{"server":"test","tool":"echo"}`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mcp.Spec(p).Function.Call(ctx, json.RawMessage(`{"server":"test","tool":"slow"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call gives %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	p := open(t, options(t))
	var wg sync.WaitGroup
	var mu sync.Mutex
	pids := map[string]int{}
	for range 20 {
		wg.Go(func() {
			out, err := call(t, p, `{"server":"test","tool":"pid"}`)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			pids[out.Text]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(pids) != 1 {
		t.Errorf("20 calls went to the processes %v", pids)
	}
}

func TestTools(t *testing.T) {
	p := open(t, options(t))
	tools, err := p.Tools(t.Context(), "few")
	if err != nil || len(tools) != 2 || tools[0].Name != "echo" || !tools[0].ReadOnly || tools[1].ReadOnly || tools[0].Description != "Does echo." || !strings.Contains(string(tools[0].Parameters), `"what to say"`) {
		t.Errorf("tools %+v, %v", tools, err)
	}
	if all, err := p.Tools(t.Context(), "test"); err != nil || len(all) != 8 {
		t.Errorf("%d tools, %v", len(all), err)
	}
	if _, err := p.Tools(t.Context(), "other"); function.KindOf(err) != function.KindBadInput {
		t.Errorf("an unknown server: %v", err)
	}
	if names := p.Servers(); len(names) != 7 || names[0] != "absent" {
		t.Errorf("servers %v", names)
	}
}

func TestCheck(t *testing.T) {
	spec := mcp.Spec(open(t, options(t)))
	tests := map[string]string{
		`{"server":"test","tool":"echo"}`:         "",
		`{"server":"@{SESSION_ID}.a","tool":"x"}`: "",
		`{"server":"other","tool":"x"}`:           "warning mcp_server",
		`{}`:                                      "error mcp_server error mcp_tool",
		`{"server":"test","tool":"x","command":"rm -rf /"}`: "error mcp_server",
	}
	for text, want := range tests {
		var got []string
		for _, p := range spec.Check(json.RawMessage(text)) {
			got = append(got, p.Level+" "+p.Code)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s has problems %v, want %s", text, got, want)
		}
	}
}
