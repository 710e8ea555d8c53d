package api

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/access/people"
	"github.com/stepgraph/stepgraph/engine"
)

// A provider is a small OpenID Connect provider: it signs in at once whoever claims says.
type provider struct {
	t      *testing.T
	server *httptest.Server
	key    *rsa.PrivateKey

	mu     sync.Mutex
	claims map[string]any    // of the next ID token
	asked  map[string]string // challenge and nonce of a code
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{t: t, key: key, asked: map[string]string{}}
	mux := http.NewServeMux()
	p.server = httptest.NewServer(mux)
	t.Cleanup(p.server.Close)
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"issuer": p.server.URL, "authorization_endpoint": p.server.URL + "/auth", "token_endpoint": p.server.URL + "/token",
			"jwks_uri": p.server.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1",
			"n": base64.RawURLEncoding.EncodeToString(key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("/auth", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || q.Get("state") == "" || q.Get("client_id") != "stepgraph" {
			t.Errorf("asked with %v", q)
		}
		p.mu.Lock()
		p.asked["code-"+q.Get("state")] = q.Get("code_challenge") + " " + q.Get("nonce")
		p.mu.Unlock()
		back := q.Get("redirect_uri") + "?" + url.Values{"state": {q.Get("state")}, "code": {"code-" + q.Get("state")}}.Encode()
		http.Redirect(w, r, back, http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		challenge, nonce, _ := strings.Cut(p.asked[r.FormValue("code")], " ")
		delete(p.asked, r.FormValue("code")) // a code works once
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		_, secret, _ := r.BasicAuth()
		if secret == "" {
			secret = r.FormValue("client_secret")
		}
		if challenge == "" || base64.RawURLEncoding.EncodeToString(sum[:]) != challenge || secret != "hush" {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		claims := map[string]any{"iss": p.server.URL, "aud": "stepgraph", "nonce": nonce, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
		for name, v := range p.claims {
			claims[name] = v
		}
		answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": p.signed(claims)})
	})
	return p
}

func (p *provider) signed(claims map[string]any) string {
	body, _ := json.Marshal(claims)
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + base64.RawURLEncoding.EncodeToString(body)
	sum := sha256.Sum256([]byte(text))
	sign, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		p.t.Error(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(sign)
}

func (p *provider) says(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims = claims
}

// A browser keeps cookies.
type browser struct {
	t      *testing.T
	client *http.Client
	base   string
}

func newBrowser(t *testing.T, base string) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, &http.Client{Jar: jar}, base}
}

func (b *browser) send(method, path string, headers ...string) (int, string) {
	b.t.Helper()
	var body io.Reader
	if method == "POST" {
		body = strings.NewReader(`{"workflow":"plain"}`)
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	got, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return got.StatusCode, string(text)
}

// TestPeopleSignIn: a person signs in with a provider, may do what the groups may, and signs
// out; no other site, no other browser and no forged answer gets in.
func TestPeopleSignIn(t *testing.T) {
	withoutPauses(t)
	p := newProvider(t)
	signIn, err := people.New(people.Options{Issuer: p.server.URL, ClientID: "stepgraph", ClientSecret: "hush", Log: logger(&logBuffer{}),
		Scopes: map[string][]string{"desk": {access.Read, access.Answer}, "ops": {access.Admin}}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{Token: strings.Repeat("m", 32), Tokens: newTokens(t), People: signIn, KeepAudit: true})
	w.do("GET", "/sign-in", nil).want(200).is(true, "oidc").is(false, "signed_in")
	want := func(b *browser, method, path string, status int, headers ...string) string {
		t.Helper()
		got, text := b.send(method, path, headers...)
		if got != status {
			t.Errorf("%s %s: %d, want %d: %.200s", method, path, got, status, text)
		}
		return text
	}
	ada := newBrowser(t, w.server.URL)
	want(ada, "GET", "/api/v1/sessions", 401)
	p.says(map[string]any{"sub": "1", "email": "ada@example.com", "email_verified": true, "groups": []string{"desk", "other"}})
	want(ada, "GET", "/sign-in/oidc", 200) // follows to the provider and back, to Studio
	if text := want(ada, "GET", "/sign-in", 200); text != `{"oidc":true,"signed_in":true}` {
		t.Errorf("signed in, the page is told %s", text)
	}
	if text := want(ada, "GET", "/api/v1/server", 200); !strings.Contains(text, "oidc:ada@example.com") || strings.Contains(text, "admin") {
		t.Errorf("signed in as %s", text)
	}
	want(ada, "POST", "/api/v1/sessions", 201, "Sec-Fetch-Site: same-origin")
	want(ada, "DELETE", "/api/v1/workflows/plain", 403)
	// Pages of other origins, also of other ports of this host.
	for _, site := range []string{"cross-site", "same-site"} {
		want(ada, "POST", "/api/v1/sessions", 403, "Sec-Fetch-Site: "+site)
		want(ada, "GET", "/api/v1/sessions", 401, "Sec-Fetch-Site: "+site)
	}
	want(ada, "POST", "/api/v1/sessions", 403, "Origin: https://evil.example")
	want(ada, "POST", "/sign-out", 403, "Origin: https://evil.example")
	for _, c := range ada.client.Jar.Cookies(mustURL(t, w.server.URL)) {
		if c.Name != "stepgraph_session" {
			t.Errorf("cookie %s is left", c.Name)
		}
	}
	// Somebody without a group, and a forged answer.
	eve := newBrowser(t, w.server.URL)
	p.says(map[string]any{"sub": "2", "email": "ada@example.com", "groups": []string{"none"}})
	want(eve, "GET", "/sign-in/oidc", 403)
	for name, claims := range map[string]map[string]any{
		"nonce": {"sub": "2", "groups": []string{"ops"}, "nonce": "other"}, "audience": {"sub": "2", "groups": []string{"ops"}, "aud": "other"},
		"issuer": {"sub": "2", "groups": []string{"ops"}, "iss": "https://evil.example"}, "expired": {"sub": "2", "groups": []string{"ops"}, "exp": 1},
	} {
		p.says(claims)
		if got, text := eve.send("GET", "/sign-in/oidc"); got != 401 {
			t.Errorf("%s: %d %s", name, got, text)
		}
	}
	want(eve, "GET", "/sign-in/oidc/callback?state=x&code=y", 400)
	want(eve, "GET", "/api/v1/sessions", 401)
	// The answer for another browser.
	p.says(map[string]any{"sub": "3", "groups": "ops"})
	mallory := newBrowser(t, w.server.URL)
	var link string
	mallory.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.Contains(r.URL.Path, "callback") {
			link = r.URL.RequestURI()
			return http.ErrUseLastResponse
		}
		return nil
	}
	mallory.send("GET", "/sign-in/oidc")
	want(newBrowser(t, w.server.URL), "GET", link, 400)
	// An address that is not verified is not a name.
	p.says(map[string]any{"sub": "4", "email": "ada@example.com", "groups": "ops"})
	ops := newBrowser(t, w.server.URL)
	want(ops, "GET", "/sign-in/oidc", 200)
	if text := want(ops, "GET", "/api/v1/server", 200); !strings.Contains(text, "oidc:4") {
		t.Errorf("signed in as %s", text)
	}
	if text := want(ops, "GET", "/api/v1/audit?action=startSession", 200); !strings.Contains(text, `"oidc:ada@example.com"`) {
		t.Errorf("the trail: %s", text)
	}
	// Signing out ends the session, not only the cookie.
	kept := ops.client.Jar.Cookies(mustURL(t, w.server.URL))
	want(ops, "POST", "/sign-out", 204)
	again := newBrowser(t, w.server.URL)
	again.client.Jar.SetCookies(mustURL(t, w.server.URL), kept)
	want(again, "GET", "/api/v1/sessions", 401)
}

// TestTheProvidersAnswerCountsOnce: an answer that is sent twice, one after the other or ten
// times at once, signs in once; the state of one sign-in does not serve another.
func TestTheProvidersAnswerCountsOnce(t *testing.T) {
	withoutPauses(t)
	p := newProvider(t)
	p.says(map[string]any{"sub": "1"})
	signIn, err := people.New(people.Options{Issuer: p.server.URL, ClientID: "stepgraph", ClientSecret: "hush", Log: logger(&logBuffer{}), Scopes: map[string][]string{"*": {access.Read}}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{People: signIn})
	// begun is a browser that has come back from the provider and not sent the answer yet.
	begun := func() (*browser, string) {
		b := newBrowser(t, w.server.URL)
		var link string
		b.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if strings.Contains(r.URL.Path, "callback") {
				link = r.URL.RequestURI()
				return http.ErrUseLastResponse
			}
			return nil
		}
		b.send("GET", "/sign-in/oidc")
		b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		b.client.Jar = keepAll{"stepgraph_sign_in": b.client.Jar.Cookies(mustURL(t, w.server.URL))[0]} // kept although the server removes it
		return b, link
	}
	ada, link := begun()
	if status, text := ada.send("GET", link); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, text)
	}
	if status, _ := ada.send("GET", link); status != http.StatusBadRequest {
		t.Errorf("the same answer again: %d", status)
	}
	bob, link := begun()
	counts := map[int]int{}
	var mu sync.Mutex
	var work sync.WaitGroup
	for range 10 {
		work.Go(func() {
			one := &browser{t, &http.Client{CheckRedirect: bob.client.CheckRedirect, Jar: fixedJar(bob.client.Jar.Cookies(nil))}, bob.base}
			status, _ := one.send("GET", link)
			mu.Lock()
			defer mu.Unlock()
			counts[status]++
		})
	}
	work.Wait()
	if counts[http.StatusSeeOther] != 1 || counts[http.StatusBadRequest] != 9 {
		t.Errorf("ten at once: %v", counts)
	}
	// The state of one with the code of another, in the browser of the first.
	eve, first := begun()
	_, second := begun()
	code := mustURL(t, second).Query().Get("code")
	swapped := "/sign-in/oidc/callback?" + url.Values{"state": {mustURL(t, first).Query().Get("state")}, "code": {code}}.Encode()
	if status, _ := eve.send("GET", swapped); status != http.StatusUnauthorized {
		t.Errorf("the code of another sign-in: %d", status)
	}
}

// fixedJar sends the same cookies and takes none.
type fixedJar []*http.Cookie

func (fixedJar) SetCookies(*url.URL, []*http.Cookie) {}

func (j fixedJar) Cookies(*url.URL) []*http.Cookie { return j }

// TestSigningOutEndsStreams: an event stream that was opened with the cookie ends.
func TestSigningOutEndsStreams(t *testing.T) {
	quickRechecks(t)
	p := newProvider(t)
	p.says(map[string]any{"sub": "1"})
	signIn, err := people.New(people.Options{Issuer: p.server.URL, ClientID: "stepgraph", ClientSecret: "hush", Log: logger(&logBuffer{}), Scopes: map[string][]string{"*": {access.Read, access.Answer}}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{People: signIn})
	b := newBrowser(t, w.server.URL)
	b.send("GET", "/sign-in/oidc")
	_, text := b.send("POST", "/api/v1/sessions")
	var s struct{ ID string }
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(text)
	}
	slow, err := w.engine.Start(t.Context(), engine.StartRequest{Workflow: "slow"})
	if err != nil {
		t.Fatal(err)
	}
	defer close(w.gate)
	ended := make(chan string, 1)
	go func() {
		status, text := b.send("GET", "/api/v1/sessions/"+slow.ID+"/events")
		ended <- fmt.Sprint(status, text)
	}()
	select {
	case text := <-ended:
		t.Fatalf("ended at once: %s", text)
	case <-time.After(100 * time.Millisecond):
	}
	if status, _ := b.send("POST", "/sign-out"); status != 204 {
		t.Fatal(status)
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Fatal("the stream is still open")
	}
}

// TestPeopleSessionsExpire: a session ends by itself.
func TestPeopleSessionsExpire(t *testing.T) {
	withoutPauses(t)
	p := newProvider(t)
	p.says(map[string]any{"sub": "1"})
	signIn, err := people.New(people.Options{Issuer: p.server.URL, ClientID: "stepgraph", ClientSecret: "hush", Log: logger(&logBuffer{}), Lifetime: 300 * time.Millisecond,
		Scopes: map[string][]string{"*": {access.Read}}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{People: signIn})
	b := newBrowser(t, w.server.URL)
	b.client.Jar = keepAll{} // a jar would drop the cookie by itself
	b.send("GET", "/sign-in/oidc")
	for range 100 {
		if status, _ := b.send("GET", "/api/v1/sessions"); status == 401 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the session has not ended")
}

// keepAll is a jar that forgets no cookie.
type keepAll map[string]*http.Cookie

func (k keepAll) SetCookies(_ *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		if c.Value != "" {
			k[c.Name] = c
		}
	}
}

func (k keepAll) Cookies(*url.URL) (all []*http.Cookie) {
	for _, c := range k {
		all = append(all, c)
	}
	return all
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestStrangersDoNotShutPeopleOut: however many sign-ins are begun and never ended, people can
// still sign in; a cookie that the server has not made begins no sign-in.
func TestStrangersDoNotShutPeopleOut(t *testing.T) {
	withoutPauses(t)
	p := newProvider(t)
	signIn, err := people.New(people.Options{Issuer: p.server.URL, ClientID: "stepgraph", ClientSecret: "hush", Log: logger(&logBuffer{}), Scopes: map[string][]string{"*": {access.Read}}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Options{People: signIn})
	for range 10_001 {
		answer := httptest.NewRecorder()
		signIn.Start(answer, httptest.NewRequest("GET", "/sign-in/oidc", nil))
		if answer.Code != http.StatusFound {
			t.Fatalf("begun: %d %s", answer.Code, answer.Body)
		}
	}
	ada := newBrowser(t, w.server.URL)
	p.says(map[string]any{"sub": "1"})
	if status, text := ada.send("GET", "/sign-in/oidc"); status != http.StatusOK {
		t.Errorf("after 10,001 others: %d %s", status, text)
	}
	begun := httptest.NewRecorder()
	signIn.Start(begun, httptest.NewRequest("GET", "/sign-in/oidc", nil))
	r := httptest.NewRequest("GET", "/sign-in/oidc/callback?state=of-another&code=y", nil)
	for _, c := range begun.Result().Cookies() {
		r.AddCookie(c)
	}
	answer := httptest.NewRecorder()
	if signIn.Callback(answer, r); answer.Code != http.StatusBadRequest {
		t.Errorf("the answer to another sign-in: %d", answer.Code)
	}
	forged := base64.RawURLEncoding.EncodeToString([]byte(`{"State":"x","Nonce":"","Verifier":"","Until":"2099-01-01T00:00:00Z"}`))
	for _, cookie := range []string{"", "x", forged} {
		answer := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/sign-in/oidc/callback?state=x&code=y", nil)
		r.AddCookie(&http.Cookie{Name: "stepgraph_sign_in", Value: cookie})
		if signIn.Callback(answer, r); answer.Code != http.StatusBadRequest {
			t.Errorf("cookie %q: %d", cookie, answer.Code)
		}
	}
}
