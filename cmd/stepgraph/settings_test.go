package main

import (
	"net/netip"
	"net/url"
	"slices"
	"testing"

	"github.com/stepgraph/stepgraph/functions/netguard"

	"github.com/spf13/pflag"
)

func TestSettingsOrder(t *testing.T) {
	file := config{storesConfig: storesConfig{Store: "file"}, Model: "file", ModelScript: "file", AllowNet: []string{"10.0.0.0/8"}, AllowShell: true, Isolate: "off"}
	for _, c := range []struct {
		name string
		args []string
		env  map[string]string
		want settings
	}{
		{"file", nil, nil, settings{"file", "file", "file", []string{"10.0.0.0/8"}, true, "off"}},
		{"environment", nil, map[string]string{"STEPGRAPH_STORE": "env", "STEPGRAPH_MODEL": "env", "STEPGRAPH_MODEL_SCRIPT": "env",
			"STEPGRAPH_ALLOW_NET": "1.2.3.4, 5.6.0.0/16", "STEPGRAPH_ALLOW_SHELL": "false", "STEPGRAPH_ISOLATE": "required"},
			settings{"env", "env", "env", []string{"1.2.3.4", "5.6.0.0/16"}, false, "required"}},
		{"flags", []string{"--store=flag", "--model=flag", "--model-script=flag", "--allow-net=9.9.9.9", "--allow-shell", "--isolate=possible"},
			map[string]string{"STEPGRAPH_STORE": "env", "STEPGRAPH_MODEL": "env", "STEPGRAPH_ALLOW_SHELL": "false"},
			settings{"flag", "flag", "flag", []string{"9.9.9.9"}, true, "possible"}},
	} {
		a := &app{env: func(name string) string { return c.env[name] }, config: file}
		var f settingFlags
		set := pflag.NewFlagSet("test", pflag.ContinueOnError)
		f.register(set)
		if err := set.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		got, err := a.settings(&f)
		if err != nil {
			t.Fatal(err)
		}
		if got.store != c.want.store || got.model != c.want.model || got.script != c.want.script || got.allowShell != c.want.allowShell || !slices.Equal(got.allowNet, c.want.allowNet) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestKindOfStore(t *testing.T) {
	for address, want := range map[string]string{"memory": storeMemory, "sqlite:a/b.db": storeSQLite, "sqlite:///a/b.db": storeSQLite,
		"neo4j://h:7687": storeNeo4j, "bolt+s://u:p@h": storeNeo4j, "sqlite:": "", "mysql://h": "", "": "", "neo4j": "", "memory:x": ""} {
		kind, _, err := kindOfStore(address)
		if kind != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %q, %v", address, kind, err)
		}
	}
	if got := hidePassword("neo4j://ada:se@cret@host:7687"); got != "neo4j://…@host:7687" {
		t.Errorf("password shown: %s", got)
	}
}

func TestNetworks(t *testing.T) {
	nets, err := networks([]string{"10.0.0.0/8", "127.0.0.1:80", "::1"})
	want := []netguard.Rule{{Prefix: netip.MustParsePrefix("10.0.0.0/8")}, {Prefix: netip.MustParsePrefix("127.0.0.1/32"), Port: 80}, {Prefix: netip.MustParsePrefix("::1/128")}}
	if err != nil || !slices.Equal(nets, want) {
		t.Errorf("got %v, %v", nets, err)
	}
	if _, err := networks([]string{"localhost"}); err == nil {
		t.Error("a name is not a network")
	}
}

func TestOpenEnv(t *testing.T) {
	h := &host{app: &app{env: func(string) string { return "value" }, config: config{Env: []string{"ANY@*", "BOUND@api.example.com"}}}}
	for _, c := range []struct {
		name, to string
		open     bool
	}{{"ANY", "http://h", true}, {"BOUND", "https://api.example.com/x", true}, {"BOUND", "http://api.example.com", false}, {"BOUND", "https://evil.example.com", false}, {"HOME", "http://h", false}} {
		to, err := url.Parse(c.to)
		if err != nil {
			t.Fatal(err)
		}
		if _, open := h.openEnv(c.name, to); open != c.open {
			t.Errorf("$%s for %s: %t", c.name, c.to, open)
		}
	}
	for _, entry := range []string{"ANY", "@h", "A@", "A@h/x"} {
		if err := (&config{Env: []string{entry}}).checkEnv(); err == nil {
			t.Errorf("%q is taken", entry)
		}
	}
}

func TestNeo4jLogin(t *testing.T) {
	for _, c := range []struct {
		env            map[string]string
		user, password string
	}{
		{nil, "", ""},
		{map[string]string{"NEO4J_PASSWORD": "p"}, "neo4j", "p"},
		{map[string]string{"NEO4J_USERNAME": "u", "NEO4J_PASSWORD": "p", "NEO4J_AUTH": "x/y"}, "u", "p"},
		{map[string]string{"NEO4J_AUTH": "neo4j/a/b"}, "neo4j", "a/b"},
		{map[string]string{"NEO4J_AUTH": "none"}, "", ""},
	} {
		h := &host{app: &app{env: func(name string) string { return c.env[name] }}}
		if user, password := h.neo4jLogin(); user != c.user || password != c.password {
			t.Errorf("%v: got %s, %s", c.env, user, password)
		}
	}
}
