package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/netguard"
)

// Checks collects the problems of an input when its workflow is loaded. Values with references
// are skipped, because they are not known yet.
type Checks struct{ Problems []function.Problem }

// Settled reports whether a value is given and contains no references.
func Settled(given json.RawMessage) bool {
	return given != nil && !bytes.Contains(given, []byte("@{"))
}

// Error adds a problem with which the step cannot run.
func (c *Checks) Error(code, message string) {
	c.Problems = append(c.Problems, function.Problem{Level: "error", Code: code, Message: message})
}

// Address validates the URL in a field.
func (c *Checks) Address(field string, given json.RawMessage) {
	if !Settled(given) {
		return
	}
	text := strings.TrimSpace(input.TextOf(given))
	to, err := url.Parse(text)
	if err != nil || to.Host == "" || (to.Scheme != "http" && to.Scheme != "https") {
		c.Error("address", field+": want an http or https address, not \""+shortened(text)+"\"")
	}
}

// Reachable warns about a literal address that the network policy of this server forbids.
// Names other than localhost are resolved only when the request is made.
func (c *Checks) Reachable(field string, given json.RawMessage, allow []netip.Prefix) {
	if !Settled(given) {
		return
	}
	to, err := url.Parse(strings.TrimSpace(input.TextOf(given)))
	if err != nil {
		return
	}
	if blocked := netguard.Closed(to.Hostname(), allow); blocked != nil {
		c.Problems = append(c.Problems, function.Problem{Level: "warning", Code: "closed_address",
			Message: fmt.Sprintf("%s: address %s is not on the public internet: the step fails unless the server is started with --allow-net %s",
				field, blocked.Addr, netip.PrefixFrom(blocked.Addr, blocked.Addr.BitLen()))})
	}
}

// Auth validates the field auth: its type and the fields that the type requires.
func (c *Checks) Auth(given json.RawMessage) {
	if given == nil {
		return
	}
	in, fault := readCredentials(given)
	switch {
	case fault != nil && strings.Contains(string(in.Type), "@{"):
	case fault != nil:
		c.Error("auth", fault.Message)
	case in.Type == "bearer" && in.Token == nil:
		c.Error("auth", "auth: token is missing")
	case in.Type == "api_key" && in.Value == nil:
		c.Error("auth", "auth: value is missing")
	case in.Type == "basic" && in.Username == nil:
		c.Error("auth", "auth: username is missing")
	}
}

// OneOf validates that a text is one of the words; an empty text is the default.
func (c *Checks) OneOf(field string, given json.RawMessage, words ...string) {
	if !Settled(given) {
		return
	}
	text := strings.ToLower(input.TextOf(given))
	for _, word := range words {
		if text == word || text == "" {
			return
		}
	}
	c.Error(field, field+": \""+shortened(text)+"\" is not one of "+strings.Join(words, ", "))
}
