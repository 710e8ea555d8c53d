package access

import (
	"net/http"
	"strings"
)

// routes lists the scope that a request needs by method and path; the first match decides. A
// star matches one segment, /** at the end the path itself and everything below it. A request
// without a match needs Admin.
var routes = []struct{ method, path, scope string }{
	{"*", "/api/v1/webhook/**", Answer},
	{"GET", "/api/compat/nebulaflow", Edit}, // a WebSocket by which workflows are saved and run
	{"*", "/api/v1/audit", Admin},
	{"*", "/api/v1/tokens/**", Admin},
	{"GET", "/**", Read},

	{"POST", "/mcp", Read}, // each call of a tool is a request of its own, with its own scope
	{"POST", "/api/v1/eval/**", Read},
	{"POST", "/api/v1/workflows/*/paths/*/whatif", Read}, // changes nothing
	{"POST", "/api/v1/sessions", Answer},
	{"POST", "/api/v1/sessions/*/answer", Answer},
	{"POST", "/api/v1/prediction/*", Answer},
	{"POST", "/api/v1/attachments/*/*", Answer},
	{"POST", "/api/v1/mcp/*", Answer},
	{"POST", "/api/session", Answer},
	{"POST", "/api/session/*/message", Answer},

	{"*", "/api/v1/sessions/**", Operate},
	{"*", "/api/v1/batches/**", Operate},
	{"PUT", "/api/v1/chatmessage/abort/**", Operate},

	{"*", "/api/v1/workflows/**", Edit},
	{"*", "/api/v1/chatflows/**", Edit},
	{"*", "/api/v1/mcp-server/**", Edit},
	{"POST", "/api/flow_list", Read},
	{"POST", "/api/flow_load", Read},
	{"POST", "/api/flow_status", Read},
	{"POST", "/api/flow_template_list", Read},
	{"POST", "/api/flow_execute", Answer},
	{"POST", "/api/flow_stop", Operate},
	{"POST", "/api/flow_group_remove", Operate},
	{"POST", "/api/flow_save", Edit},
	{"POST", "/api/flow_delete", Edit},
}

// ScopeOf is the scope that a request needs. The path is as the router sees it, with its
// escapes: a slash within an id is not one between segments.
func ScopeOf(method, path string) string {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, r := range routes {
		if (r.method == "*" || r.method == method) && fits(r.path, path) {
			return r.scope
		}
	}
	return Admin
}

func fits(pattern, path string) bool {
	want := strings.Split(strings.Trim(pattern, "/"), "/")
	have := strings.Split(strings.Trim(path, "/"), "/")
	for i, part := range want {
		switch {
		case part == "**":
			return true
		case i >= len(have) || part != "*" && part != have[i]:
			return false
		}
	}
	return len(have) == len(want)
}

// limited are the routes that concern single workflows and sessions, and those that tell
// nothing of either. A token with a limit may use these and no others: a route that is added
// has to be put here before such a token reaches it.
var limited = []string{
	"/api/v1/workflows/**", "/api/v1/sessions/**", "/api/v1/batches/**", "/api/v1/awaiting", "/api/v1/eval/**",
	"/api/v1/functions/**", "/api/v1/server", "/openapi.json", "/schemas/**", "/problems/**", "/mcp",
	"/api/session/**", "/api/health",
	"/api/flow_list", "/api/flow_load", "/api/flow_save", "/api/flow_delete", "/api/flow_execute", "/api/flow_status", "/api/flow_stop", "/api/flow_group_remove",
	"/api/compat/nebulaflow",
	"/api/v1/chatflows/**", "/api/v1/prediction/*", "/api/v1/attachments/*/*", "/api/v1/executions/**", "/api/v1/chatmessage/**",
	"/api/v1/public-chatbotConfig/*", "/api/v1/mcp-server/*", "/api/v1/webhook/**",
}

// LimitedMay reports whether a token with a limit may use a route.
func LimitedMay(path string) bool {
	for _, pattern := range limited {
		if fits(pattern, path) {
			return true
		}
	}
	return false
}
