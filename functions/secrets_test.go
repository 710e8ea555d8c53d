package functions_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/openai"
)

const canary = "CANARY-any-host/1234"

// A listener keeps what it is sent, and repeats it.
type listener struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func listen(t *testing.T) *listener {
	l := &listener{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		query, _ := url.QueryUnescape(r.URL.RawQuery)
		text := fmt.Sprintf("%s?%s %v %s", r.URL.Path, query, r.Header, body)
		l.mu.Lock()
		l.got = append(l.got, text)
		l.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		reply, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": map[string]string{"role": "assistant", "content": "ok"}}}, "data": map[string]string{"heard": text}})
		_, _ = w.Write(reply)
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *listener) heard() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.got, "\n")
}

// open is a registry whose functions may use one secret everywhere.
func open(t *testing.T) *function.Registry {
	t.Helper()
	catalog, err := models.NewCatalog(models.CatalogOptions{Default: "openai/m", Providers: map[string]models.Provider{"openai": openai.Provider(openai.Options{Key: "none"})}, OpenEndpoint: func(at models.Endpoint) (models.Model, error) {
		return openai.New(openai.Options{BaseURL: at.BaseURL, Key: at.Key})
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := function.NewRegistry()
	functions.Standard(r, functions.Options{
		AllowNet: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Getenv:   func(name string, _ *url.URL) (string, bool) { return canary, name == "ANY" },
		Models:   catalog,
	})
	return r
}

// TestDataNamesNoSecret plays steps into which an answer brings the name of a secret. It
// stays a text; the same name written into the step is bound.
func TestDataNamesNoSecret(t *testing.T) {
	answers := map[string]any{"plain": "$ANY", "braces": "tell me ${ANY} please", "object": map[string]string{"secret": "ANY"}, "escaped": "\u0024ANY"}
	const answer = "@{SESSION_ID}.ask.response"
	steps := map[string]string{
		"params":              `{"function":"api","input":{"url":"URL","params":{"q":"` + answer + `","k":"$ANY"}}}`,
		"lone header":         `{"function":"api","input":{"url":"URL","headers":{"X-Q":"` + answer + `","X-K":{"secret":"ANY"}}}}`,
		"header":              `{"function":"api","input":{"url":"URL","headers":{"X-Q":"user ` + answer + `","X-K":"$ANY"}}}`,
		"same field":          `{"function":"api","input":{"url":"URL","headers":{"X-Q":"$ANY ` + answer + `"}}}`,
		"rows":                `{"function":"api","input":{"url":"URL","params":[{"name":"q","value":"` + answer + `"}]}}`,
		"bearer":              `{"function":"api","input":{"url":"URL","auth":{"type":"bearer","token":"` + answer + `"}}}`,
		"basic":               `{"function":"api","input":{"url":"URL","auth":{"type":"basic","username":"` + answer + `","password":"$ANY"}}}`,
		"graphql":             `{"function":"graphql","input":{"endpoint":"URL","query":"{a}","headers":{"X-Q":"` + answer + `","X-K":"$ANY"}}}`,
		"integration":         `{"function":"integration","input":{"type":"rest","url":"URL","headers":{"X-Q":"` + answer + `","X-K":"${ANY}"}}}`,
		"integration by text": `{"function":"integration","input":{"type":"rest","url":"URL","headers":"{\"X-K\":\"$ANY\"}","auth":"bearer","auth_token":"` + answer + `"}}`,
		"generate":            `{"function":"generate","input":{"user":"hi","model":"m","base_url":"URL","api_key":"` + answer + `"}}`,
	}
	for kind, said := range answers {
		for name, step := range steps {
			t.Run(name+" "+kind, func(t *testing.T) {
				l := listen(t)
				w := read(t, `{"format":"stepgraph","version":1,"id":"w","steps":[
					{"id":"root","function":"reply","input":{"message":"hello"}},
					{"id":"ask","function":"request","input":{"prompt":"Which city?"}},
					{"id":"call",`+strings.ReplaceAll(step, "URL", l.URL)[1:]+`],
					"paths":[{"source":"root","target":"ask"},{"source":"ask","target":"call"}]}`)
				result := enginetest.Play(t, enginetest.Game{Workflow: w, Registry: open(t), Answers: []enginetest.Answer{enginetest.Say(said)}})
				wrote := 0 // how often the step itself names the secret
				if strings.Contains(step, `ANY`) && name != "basic" {
					wrote = 1
				}
				if got := strings.Count(l.heard(), canary); got != wrote {
					t.Errorf("the secret was sent %d times, want %d: %s", got, wrote, l.heard())
				}
				if len(l.got) == 0 && name != "basic" && kind != "object" {
					t.Errorf("nothing was sent: %s %+v", result.Session.Status, result.Session.Error)
				}
				executions, err := json.Marshal(result.Executions)
				if err != nil || strings.Contains(string(executions), canary) {
					t.Errorf("the history shows the secret: %s, %v", executions, err)
				}
				if marks := strings.Contains(string(executions), "$ANY0") || !strings.Contains(string(executions), "ANY"); marks {
					t.Errorf("the history does not show the input as written: %s", executions)
				}
			})
		}
	}
}

// TestAnApproverNamesNoSecret approves a step with another input: what stays as it was keeps
// its secret, what is new is data.
func TestAnApproverNamesNoSecret(t *testing.T) {
	l := listen(t)
	w := read(t, `{"format":"stepgraph","version":1,"id":"w","steps":[
		{"id":"root","function":"api","approval":true,"input":{"url":"`+l.URL+`","headers":{"X-K":"$ANY"}}}],"paths":[]}`)
	enginetest.Play(t, enginetest.Game{Workflow: w, Registry: open(t), Answers: []enginetest.Answer{enginetest.Say(map[string]any{
		"approved": true, "input": map[string]any{"url": l.URL, "headers": map[string]string{"X-K": "$ANY", "X-New": "${ANY}"}}})}})
	if got := l.heard(); strings.Count(got, canary) != 1 || !strings.Contains(got, "${ANY}") {
		t.Errorf("sent %s", got)
	}
}

// TestEchoedSecretsAreBlotted: the forms in which servers usually repeat what they were sent.
func TestEchoedSecretsAreBlotted(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		spaced := strings.Join(strings.Split(canary, ""), " ")
		fmt.Fprintf(w, "%s|%s|%s|%s|%s|end", canary, strings.ToLower(canary), strings.ToUpper(canary), spaced, "Q0FOQVJZLWFueS1ob3N0LzEyMzQ=")
	}))
	defer echo.Close()
	w := read(t, `{"format":"stepgraph","version":1,"id":"w","steps":[{"id":"root","function":"api","input":{"url":"`+echo.URL+`","headers":{"X":"$ANY"}}}],"paths":[]}`)
	result := enginetest.Play(t, enginetest.Game{Workflow: w, Registry: open(t)})
	var out struct{ Response string }
	if err := json.Unmarshal(result.Output("root"), &out); err != nil || out.Response != "***|***|***|***|***|end" {
		t.Errorf("the output shows %s, %v", result.Output("root"), err)
	}
}
