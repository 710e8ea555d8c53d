package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/api"
)

func TestMultipart(t *testing.T) {
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		whole, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(whole))
		r.Body = io.NopCloser(strings.NewReader(string(whole)))
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Errorf("what was sent is not a form: %v", err)
			return
		}
		file, header, err := r.FormFile("f")
		if err != nil {
			t.Errorf("the file did not come: %v", err)
			return
		}
		content, _ := io.ReadAll(file)
		json.NewEncoder(w).Encode(map[string]any{"a": r.MultipartForm.Value["a"], "name": header.Filename, "type": header.Header.Get("Content-Type"), "content": string(content)})
	}))
	defer server.Close()
	text := `{"method":"POST","url":"` + server.URL + `","body_type":"multipart","body":{"a":["1",{"b":2}],"f":{"filename":"x.bin","base64":"aGk=","content_type":"image/png"}}}`
	for range 2 {
		out := call(t, api.Options{AllowNet: loopback}, text)
		if want := `{"a":["1","{\"b\":2}"],"content":"hi","name":"x.bin","type":"image/png"}`; string(out.Response) != want {
			t.Errorf("sent %s\nwant %s", out.Response, want)
		}
	}
	if bodies[0] != bodies[1] {
		t.Error("the same form gives other bytes, so a server cannot know the request again by its key")
	}
	_, err := api.Spec(api.Options{}).Function.Call(t.Context(), json.RawMessage(strings.Replace(text, "image/png", `a\nb`, 1)))
	if function.KindOf(err) != function.KindBadInput || !strings.Contains(err.Error(), "body: f: content_type") {
		t.Errorf("error %v", err)
	}
}

func TestResponseTypes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.TrimPrefix(r.URL.Path, "/"))
	}))
	defer server.Close()
	tests := []struct{ path, kind, want, fault string }{
		{"[1]", "", `[1]`, "null"}, {"[1]", "text", `"[1]"`, "null"}, {"[1]", "base64", `"WzFd"`, "null"},
		{"7", "json", `7`, "null"}, {"x", "json", `"x"`, `"the answer is not JSON, which response_type says it is"`},
	}
	for _, test := range tests {
		out := call(t, api.Options{AllowNet: loopback}, `{"url":"`+server.URL+"/"+test.path+`","response_type":"`+test.kind+`"}`)
		if string(out.Response) != test.want || show(out.Error) != test.fault {
			t.Errorf("%s as %q: %s, error %s", test.path, test.kind, out.Response, show(out.Error))
		}
	}
}

func TestRetries(t *testing.T) {
	var keys, bodies []string
	var statuses []int
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		keys, bodies = append(keys, r.Header.Get("Idempotency-Key")), append(bodies, string(body))
		status := statuses[0]
		statuses = statuses[1:]
		if status == 429 {
			w.Header().Set("Retry-After", "3600")
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	tests := []struct {
		name, more string
		answers    []int
		made       int
		status     int
	}{
		{"none", ``, []int{503}, 1, 503},
		{"until it works", `,"retries":5`, []int{503, 500, 200}, 3, 200},
		{"as often as said", `,"retries":2`, []int{503, 503, 503}, 3, 503},
		{"not what stays", `,"retries":2`, []int{404}, 1, 404},
		{"chosen statuses", `,"retries":2,"retry_statuses":[404,"409"]`, []int{404, 409, 503}, 3, 503},
		{"only chosen statuses", `,"retries":2,"retry_statuses":404`, []int{503}, 1, 503},
		{"a long Retry-After is left to the step", `,"retries":2`, []int{429}, 1, 429},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			statuses, keys, bodies = test.answers, nil, nil
			out := call(t, api.Options{AllowNet: loopback}, `{"method":"POST","json":{"a":1},"retry_delay":"1ms","url":"`+server.URL+`"`+test.more+`}`)
			if out.StatusCode != test.status || len(keys) != test.made || max(out.Attempts, 1) != test.made {
				t.Errorf("status %d after %d requests, attempts %d; want %d after %d", out.StatusCode, len(keys), out.Attempts, test.status, test.made)
			}
			for i := range keys {
				if keys[i] != "s/a/1/1" || bodies[i] != `{"a":1}` {
					t.Errorf("request %d has key %q and body %s", i+1, keys[i], bodies[i])
				}
			}
		})
	}
}

func TestCheck(t *testing.T) {
	check := api.Spec(api.Options{}).Check
	tests := map[string]int{
		`{"url":"https://a"}`: 0, `{}`: 1, `{"url":"ftp://a"}`: 1, `{"url":"@{SESSION_ID}.a"}`: 0,
		`{"url":"https://a","body_type":"xml","response_type":"yaml"}`: 2,
		`{"url":"https://a","body_type":"@{SESSION_ID}.a"}`:            0,
		`{"url":"https://a","json":1,"data":2}`:                        1,
		`{"url":"https://a","auth":{"type":"digest"}}`:                 1,
		`{"url":"https://a","auth":{"type":"basic"}}`:                  1,
		`{"url":"https://a","auth":{"type":"@{SESSION_ID}.a"}}`:        0,
		`{"url":"https://a","retries":50,"retry_statuses":[1]}`:        1,
	}
	for text, want := range tests {
		if got := check(json.RawMessage(text)); len(got) != want {
			t.Errorf("%s has problems %v, want %d", text, got, want)
		}
	}
	for _, e := range api.Spec(api.Options{}).Examples {
		if problems := check(e.Input); problems != nil {
			t.Errorf("example %q has problems %v", e.Title, problems)
		}
	}
}
