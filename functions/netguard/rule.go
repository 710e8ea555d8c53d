package netguard

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// A Rule allows connections to a network, or to one port in it.
type Rule struct {
	Prefix netip.Prefix
	Port   uint16 // 0: every port
}

// ParseRule parses a network such as 10.0.0.0/8, an address, or either with a port:
// 127.0.0.1:9000, 10.0.0.0/8:443, [::1]:9000.
func ParseRule(text string) (Rule, error) {
	network, port := text, ""
	if addr, err := netip.ParseAddrPort(text); err == nil {
		network, port = addr.Addr().String(), strconv.Itoa(int(addr.Port()))
	} else if at := strings.LastIndexByte(text, ':'); at >= 0 && strings.Contains(text[:at], "/") {
		network, port = strings.Trim(text[:at], "[]"), text[at+1:]
	}
	var rule Rule
	prefix, err := netip.ParsePrefix(network)
	if addr, alone := netip.ParseAddr(network); alone == nil {
		prefix, err = addr.Prefix(addr.BitLen())
	}
	rule.Prefix = prefix
	if err == nil && port != "" {
		var n uint64
		if n, err = strconv.ParseUint(port, 10, 16); n == 0 {
			err = strconv.ErrRange
		}
		rule.Port = uint16(n)
	}
	if err != nil {
		return Rule{}, fmt.Errorf("%q: want a network like 10.0.0.0/8 or an address like 127.0.0.1, each perhaps with a port (127.0.0.1:9000)", text)
	}
	return rule, nil
}

// opens reports whether a rule with a port allows an address.
func opens(rules []Rule, to netip.AddrPort) bool {
	for _, r := range rules {
		if r.Port == to.Port() && r.Port != 0 && r.Prefix.Contains(to.Addr()) {
			return true
		}
	}
	return false
}
