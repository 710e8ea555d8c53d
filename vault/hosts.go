package vault

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// A host pattern says where a secret may go:
//
//	api.example.com         https://api.example.com, port 443
//	api.example.com:8443    the same on another port
//	*.example.com           every host below example.com
//	http://desk.internal    plain http, port 80
//	*                       every address
//
// A loopback host without scheme and port is http and https on every port there.
var hostForm = regexp.MustCompile(`^(?:(https?)://)?(\*\.[A-Za-z0-9._-]+|[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?$`)

// everywhere is the pattern of every address.
const everywhere = "*"

// CheckHost returns an error if a host pattern is invalid.
func CheckHost(pattern string) error {
	if pattern == everywhere || hostForm.MatchString(pattern) {
		return nil
	}
	return fmt.Errorf("host %q: want [http://]HOST[:PORT], such as api.example.com or *.example.com, or * for every address", pattern)
}

// HostServes reports whether a host pattern allows an address.
func HostServes(pattern string, to *url.URL) bool {
	if pattern == everywhere {
		return true
	}
	part := hostForm.FindStringSubmatch(pattern)
	if part == nil || to == nil {
		return false
	}
	scheme, name, port := part[1], strings.Trim(part[2], "[]"), part[3]
	host := strings.ToLower(strings.TrimSuffix(to.Hostname(), "."))
	if !sameHost(strings.ToLower(name), host) {
		return false
	}
	local := isLoopback(host)
	switch {
	case scheme != "" && scheme != to.Scheme:
		return false
	case scheme == "" && to.Scheme != "https" && !local:
		return false
	case port != "":
		return port == portOf(to)
	case local && scheme == "":
		return true
	}
	return portOf(to) == portOf(&url.URL{Scheme: to.Scheme})
}

func sameHost(name, host string) bool {
	if below, ok := strings.CutPrefix(name, "*"); ok {
		return strings.HasSuffix(host, below)
	}
	return name == host
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func portOf(to *url.URL) string {
	switch {
	case to.Port() != "":
		return to.Port()
	case to.Scheme == "https":
		return "443"
	}
	return "80"
}
