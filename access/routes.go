package access

import (
	"net/http"
	"strings"
)

// routes say which scope a request needs, by method and path; the first that fits counts. A
// star stands for one segment, a closing /** for the path itself and all below. What fits
// none needs Admin.
var routes = []struct{ method, path, scope string }{
	{"*", "/api/v1/webhook/**", Answer},
	{"GET", "/api/compat/nebulaflow", Edit}, // a WebSocket by which workflows are saved and run
	{"GET", "/**", Read},

	{"POST", "/api/v1/eval/**", Read},
	{"POST", "/api/v1/workflows/*/affected/**", Read},
	{"POST", "/api/v1/workflows/*/what-if", Read},
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

// ScopeOf is the scope that a request needs.
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
