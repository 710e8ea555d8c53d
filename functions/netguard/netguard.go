// Package netguard prevents requests whose URLs come from workflows, models or answers from
// reaching internal networks: loopback, private ranges, link-local addresses including cloud
// metadata, and everything else that is not the public internet.
//
// The address is checked when a connection is made, after the name was resolved. So a name
// that resolves to loopback, an address written in octal, a redirect, and a second DNS answer
// are all covered.
package netguard

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// A BlockedError reports a connection that the policy refused.
type BlockedError struct{ Addr netip.Addr }

// Error names the address and the setting that allows it.
func (e *BlockedError) Error() string {
	return fmt.Sprintf("address %s is not on the public internet and was not called; the operator can allow it with --allow-net %s",
		e.Addr, netip.PrefixFrom(e.Addr, e.Addr.BitLen()))
}

// Transport returns a transport that connects only to public addresses and to those in allow.
// It uses no proxy, because a proxy would make the connection instead.
func Transport(allow []netip.Prefix) *http.Transport {
	return Guarded(rulesOf(allow))
}

// rulesOf converts networks to rules.
func rulesOf(networks []netip.Prefix) []Rule {
	rules := make([]Rule, len(networks))
	for i, p := range networks {
		rules[i] = Rule{Prefix: p}
	}
	return rules
}

// Guarded is Transport with rules, which may name a port. It never connects to the program's
// own listeners (see Own), whatever the rules are.
func Guarded(rules []Rule) *http.Transport {
	guard := guardian(rules)
	dialer := &net.Dialer{
		Timeout:   10 * time.Second,
		KeepAlive: 30 * time.Second,
		Control: func(network, address string, c syscall.RawConn) error {
			at, parsed := netip.ParseAddrPort(address)
			if parsed != nil {
				return guard.Safe(network, address, c)
			}
			plain := netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
			if isOwn(plain) {
				return &OwnError{plain}
			}
			if guard.Safe(network, address, c) == nil || opens(rules, plain) {
				return nil
			}
			return &BlockedError{plain.Addr()}
		},
	}
	return &http.Transport{
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          100,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// Closed returns the error of a connection to a host if it is known without a DNS lookup,
// because the host is an address or localhost. It returns nil if the connection is allowed or
// not known.
func Closed(host string, allow []netip.Prefix) *BlockedError {
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	at, err := netip.ParseAddr(host)
	if err != nil {
		return nil
	}
	at = at.Unmap().WithZone("")
	network := "tcp6"
	if at.Is4() {
		network = "tcp4"
	}
	if guardian(rulesOf(allow)).Safe(network, netip.AddrPortFrom(at, 80).String(), nil) == nil {
		return nil
	}
	return &BlockedError{at}
}

func guardian(rules []Rule) *ssrf.Guardian {
	var v4, v6 []netip.Prefix
	for _, rule := range rules {
		switch p := rule.Prefix; {
		case rule.Port != 0:
		case p.Addr().Is4In6() && p.Bits() >= 96:
			v4 = append(v4, netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96).Masked())
		case p.Addr().Is4():
			v4 = append(v4, p.Masked())
		default:
			v6 = append(v6, p.Masked())
		}
	}
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
}
