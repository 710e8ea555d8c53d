package api

import (
	"strings"
	"testing"
)

func TestProfiles(t *testing.T) {
	w := newWorld(t, Options{})
	w.do("GET", "/api/v1/profiles", nil).want(200)
	got := w.do("PUT", "/api/v1/profiles/clerk", `{"model":"m","temperature":0.5,"schema":{"b":1,"a":2},"tools":["x"]}`).want(200)
	if got.json["name"] != "clerk" || got.json["source"] != "stored" || got.json["updated_at"] == nil || !strings.Contains(got.text, `"schema":{"b":1,"a":2}`) {
		t.Errorf("set: %s", got.text)
	}
	if list := w.do("GET", "/api/v1/profiles", nil).want(200); !strings.Contains(list.text, `"temperature":0.5`) {
		t.Errorf("list: %s", list.text)
	}
	w.do("PUT", "/api/v1/profiles/clerk", `{"model":"n"}`).want(200)
	if got := w.do("GET", "/api/v1/profiles/clerk", nil).want(200); got.json["model"] != "n" || got.json["temperature"] != nil {
		t.Errorf("set as a whole: %s", got.text)
	}
	w.do("PUT", "/api/v1/profiles/clerk", `{"modle":"n"}`).problem("request_invalid")
	w.do("PUT", "/api/v1/profiles/clerk", `{"schema":1}`).problem("request_invalid")
	missing := w.do("GET", "/api/v1/profiles/cook", nil).problem("profile_not_found")
	if !strings.Contains(missing.text, `"exists":["clerk"]`) {
		t.Errorf("missing: %s", missing.text)
	}
	w.do("DELETE", "/api/v1/profiles/clerk", nil).want(204)
	w.do("DELETE", "/api/v1/profiles/clerk", nil).problem("profile_not_found")
}

func TestVariables(t *testing.T) {
	w := newWorld(t, Options{})
	for _, value := range []string{`{"b":1.50,"a":"<é>"}`, `null`, `"text"`, `[1]`} {
		got := w.do("PUT", "/api/v1/variables/city", `{"value":`+value+`,"description":"d"}`).want(200)
		if !strings.Contains(got.text, `"value":`+value) {
			t.Errorf("%s became %s", value, got.text)
		}
	}
	if got := w.do("GET", "/api/v1/variables/city", nil).want(200); got.json["description"] != "d" {
		t.Errorf("read: %s", got.text)
	}
	w.do("PUT", "/api/v1/variables/city", `{}`).problem("request_invalid")
	w.do("PUT", "/api/v1/variables/a%20b", `{"value":1}`).problem("request_invalid")
	if got := w.do("GET", "/api/v1/variables", nil).want(200); !strings.Contains(got.text, `"city"`) {
		t.Errorf("list: %s", got.text)
	}
	w.do("DELETE", "/api/v1/variables/city", nil).want(204)
	w.do("GET", "/api/v1/variables/city", nil).problem("variable_not_found")
}

// A secret goes in and never comes out: not when it is set, listed or read, not when it is
// refused, and not in the log.
func TestSecretsAreWriteOnly(t *testing.T) {
	w := newWorld(t, Options{})
	const path, value = "/api/v1/secrets/SHOP_TOKEN", "t0psecret"
	answers := []*reply{
		w.do("PUT", path, `{"value":"`+value+`","hosts":["api.example.com"]}`).want(200),
		w.do("GET", path, nil).want(200),
		w.do("GET", "/api/v1/secrets", nil).want(200),
		w.do("PUT", path, `{"value":"`+value+`","host":"x"}`).problem("request_invalid"),
		w.do("PUT", path, `{"value":["`+value+`"]}`).problem("request_invalid"),
		w.do("PUT", path, `{"value":"`+value+`","hosts":["https://x/y"]}`).problem("request_invalid"),
		w.do("PUT", path, `{"value":"`+value+`"}`).problem("request_invalid"), // no hosts: nowhere, not everywhere
		w.do("PUT", "/api/v1/secrets/a-b", `{"value":"`+value+`"}`).problem("request_invalid"),
		w.do("PUT", path, `{"value":"`+value).problem("bad_request"),
		w.do("POST", path, `{"value":"`+value+`"}`).problem("method_not_allowed"),
		w.do("GET", "/api/v1/secrets/OTHER", nil).problem("secret_not_found"),
	}
	for _, a := range answers {
		if strings.Contains(a.text, value) {
			t.Errorf("an answer shows the secret: %s", a.text)
		}
	}
	if text := w.log.String(); strings.Contains(text, value) || !strings.Contains(text, "secret set") {
		t.Errorf("the log: %s", text)
	}
	if got := answers[1]; got.json["name"] != "SHOP_TOKEN" || got.json["value"] != nil || !strings.Contains(got.text, `"hosts":["api.example.com"]`) {
		t.Errorf("what may be known of a secret: %s", got.text)
	}
	w.do("DELETE", path, nil).want(204)
	w.do("DELETE", path, nil).problem("secret_not_found")
}
