package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/functions/api"
)

func TestAuth(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		got = fmt.Sprintf("%s|%s|%s|%s|%s", user, password, r.Header.Get("Authorization"), r.Header.Get("X-Desk"), r.URL.Query().Get("key"))
		fmt.Fprint(w, r.Header.Get("Authorization"), r.Header.Get("X-Desk"), r.URL.RequestURI())
	}))
	defer server.Close()
	tests := []struct{ auth, want string }{
		{`{"type":"basic","username":"ada","password":{"secret":"API_TOKEN"}}`, "ada|" + token + "|Basic "},
		{`{"type":"bearer","token":"$API_TOKEN"}`, "||Bearer " + token + "||"},
		{`{"type":"Bearer","token":"written down"}`, "||Bearer written down||"},
		{`{"type":"api_key","value":{"secret":"API_TOKEN"},"header":"X-Desk"}`, "|||" + token + "|"},
		{`{"type":"apiKey","value":"${API_TOKEN}","query":"key"}`, "||||" + token},
		{`{"type":"none"}`, "||||"},
	}
	for _, test := range tests {
		out := call(t, api.Options{AllowNet: loopback, Getenv: open}, `{"url":"`+server.URL+`","auth":`+test.auth+`}`)
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s sends %s\nwant %s", test.auth, got, test.want)
		}
		response := string(out.Response)
		for _, part := range strings.Split(got, "|") {
			if value := strings.TrimPrefix(strings.TrimPrefix(part, "Bearer "), "Basic "); len(value) > 3 && value != "ada" && strings.Contains(response, value) {
				t.Errorf("%s: the output shows %q: %s", test.auth, value, response)
			}
		}
	}
}

func TestSecretByName(t *testing.T) {
	var header http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { header = r.Header.Clone() }))
	defer server.Close()
	o := api.Options{AllowNet: loopback, Getenv: open}
	call(t, o, `{"url":"`+server.URL+`","headers":{"X-Token":{"secret":"API_TOKEN"},"X-Object":{"secret":"API_TOKEN","b":1}}}`)
	if header.Get("X-Token") != token || header.Get("X-Object") != `{"secret":"API_TOKEN","b":1}` {
		t.Errorf("sent %v", header)
	}
	for _, where := range []string{`"params":{"x":{"secret":"OTHER"}}`, `"headers":{"x":{"secret":"OTHER"}}`, `"auth":{"type":"bearer","token":{"secret":"OTHER"}}`} {
		out := call(t, o, `{"url":"`+server.URL+`",`+where+`}`)
		if !strings.Contains(show(out.Error), `there is no secret \"OTHER\" that workflows may use for http://127.0.0.1`) {
			t.Errorf("%s: error %s", where, show(out.Error))
		}
	}
}

// A header with credentials stays with the server it was written for, however they came
// into the step.
func TestCredentialsStayWithTheFirstServer(t *testing.T) {
	var elsewhere http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { elsewhere = r.Header.Clone() }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	call(t, api.Options{AllowNet: loopback}, `{"url":"`+server.URL+`","headers":{"cookie":"a=1","X-Plain":"p"},"auth":{"type":"api_key","header":"X-Desk","value":"written down"}}`)
	if elsewhere.Get("Cookie") != "" || elsewhere.Get("X-Desk") != "" || elsewhere.Get("X-Plain") != "p" {
		t.Errorf("the other server got %v", elsewhere)
	}
}

// Whatever fails, no error shows a secret, not even one that the other side writes into a
// status line or a redirect.
func TestErrorsShowNoSecret(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+strings.TrimPrefix(r.Header.Get("X-Host"), "Bearer ")+".invalid/", http.StatusFound)
	}))
	defer server.Close()
	o := api.Options{AllowNet: loopback, Getenv: func(string, *url.URL) (string, bool) { return "topsecretname", true }}
	raw, err := bound(t.Context(), o, `{"url":"`+server.URL+`","headers":{"X-Host":{"secret":"HOST"}}}`)
	if err != nil || strings.Contains(string(raw), "topsecretname") || !strings.Contains(string(raw), `"error":"`) {
		t.Errorf("the output is %s, %v", raw, err)
	}
}
