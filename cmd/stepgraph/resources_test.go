package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shopSecret = "t0psecretvalue"

// outsideWorkflow calls a shop by every way to the outside. Each step shows what it sent.
const outsideWorkflow = `
CREATE (a:STEP {id: 'root', function: 'api', input: '{"url": "SHOP/echo", "auth": {"type": "bearer", "token": {"secret": "SHOP_TOKEN"}}, "params": {"key": "$SHOP_TOKEN"}}'}),
  (b:STEP {id: 'ask', function: 'graphql', input: '{"endpoint": "SHOP/graphql", "query": "{ order(id: @{SESSION_ID}.root.status_code) { id } }", "headers": {"X-Token": "$SHOP_TOKEN"}}'}),
  (c:STEP {id: 'orders', function: 'integration', input: '{"type": "rest", "url": "SHOP/echo", "auth": "apiKey", "auth_token": {"secret": "SHOP_TOKEN"}, "arguments": {"id": 7}}'}),
  (d:STEP {id: 'broken', function: 'api', input: '{"url": "SHOP/away", "headers": {"X-Token": {"secret": "SHOP_TOKEN"}}}'}),
  (e:STEP {id: 'closed', function: 'api', input: '{"url": "http://localhost:PORT/echo", "headers": {"X-Token": {"secret": "SHOP_TOKEN"}}}'}),
  (f:STEP {id: 'count', function: 'graph.query', on_error: 'continue', input: '{"query": "MATCH (s:SESSION {id: @{SESSION_ID}}) RETURN s.workflow AS workflow"}'}),
  (g:STEP {id: 'tool', function: 'mcp.call', on_error: 'continue', input: '{"server": "none", "tool": "x"}'}),
  (a)-[:NEXT]->(b)-[:NEXT]->(c)-[:NEXT]->(d)-[:NEXT]->(e)-[:NEXT]->(f)-[:NEXT]->(g);
`

// TestSecretsStayOutside runs a session that uses a secret in every way, and looks for it in
// all that is kept and said: output, state, history, store files and logs.
func TestSecretsStayOutside(t *testing.T) {
	var sent []string
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, value := range []string{r.Header.Get("Authorization"), r.Header.Get("X-Token"), r.Header.Get("X-API-Key"), r.URL.Query().Get("key")} {
			if value != "" {
				sent = append(sent, r.URL.Path+" "+value)
			}
		}
		w.Header().Set("X-Echo", r.Header.Get("X-Token"))
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://"+r.Header.Get("X-Token")+".invalid/", http.StatusFound)
		case "/graphql":
			fmt.Fprintf(w, `{"errors":[{"message":%q}]}`, "not for "+r.Header.Get("X-Token")+": "+string(body))
		default:
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(map[string]any{"header": r.Header, "uri": r.URL.RequestURI()})
		}
	}))
	defer shop.Close()
	dir := t.TempDir()
	store := "sqlite:" + filepath.Join(dir, "a.db")
	file := filepath.Join(dir, "outside.cypher")
	_, port, _ := strings.Cut(strings.TrimPrefix(shop.URL, "http://"), ":")
	text := strings.NewReplacer("SHOP/", shop.URL+"/", "PORT", port).Replace(outsideWorkflow)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"STEPGRAPH_DIR": dir}
	set := invoke(t, shopSecret+"\n", env, "secret", "set", "SHOP_TOKEN", "--host", "127.0.0.1", "--store", store)
	if set.code != 0 {
		t.Fatalf("secret set: %d, %s", set.code, set.err)
	}
	ran := invoke(t, "", env, "run", file, "--store", store, "--id", "s", "--allow-net", "127.0.0.0/8", "--verbose", "-o", "json")
	if ran.code != exitFailed { // as two steps are refused here
		t.Fatalf("run: %d, %s", ran.code, ran.err)
	}
	want := []string{"/echo Bearer " + shopSecret, "/echo " + shopSecret, "/graphql " + shopSecret, "/echo " + shopSecret, "/away " + shopSecret}
	if strings.Join(sent, "\n") != strings.Join(want, "\n") {
		t.Errorf("the shop got %q\nwant %q", sent, want)
	}
	said := map[string]string{"output": ran.out, "log": ran.err}
	for _, word := range []string{"show", "history"} {
		said[word] = invoke(t, "", env, "session", word, "s", "--store", store, "-o", "json").out
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		said[e.Name()] = string(text)
	}
	for where, text := range said {
		if strings.Contains(text, shopSecret) {
			i := strings.Index(text, shopSecret)
			t.Errorf("the secret stands in %s: %q", where, text[max(0, i-80):min(len(text), i+80)])
		}
	}
	for _, hint := range []string{
		"there is no secret \\\"SHOP_TOKEN\\\" that workflows may use for http://localhost", "not on this store",
		"no MCP server is configured", "not for ***", "order(id: 200)",
	} {
		if !strings.Contains(ran.out, hint) {
			t.Errorf("the output does not say %s: %s", hint, ran.out)
		}
	}
	if !strings.Contains(ran.err, "integration answered") {
		t.Errorf("the log does not show what the integration gave: %s", ran.err)
	}
}
