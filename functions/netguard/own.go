package netguard

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
)

// own holds the addresses on which this program listens. The list is global to the process,
// because the process must not be a client of itself: a step that may reach 127.0.0.1 could
// otherwise edit workflows with the rights of local clients.
var own struct {
	sync.Mutex
	list []netip.AddrPort
}

// Own forbids connections to an address on which the program listens, until release is called.
func Own(address net.Addr) (release func()) {
	at, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return func() {}
	}
	at = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	own.Lock()
	defer own.Unlock()
	own.list = append(own.list, at)
	return func() {
		own.Lock()
		defer own.Unlock()
		if i := slices.Index(own.list, at); i >= 0 {
			own.list = slices.Delete(own.list, i, i+1)
		}
	}
}

func isOwn(to netip.AddrPort) bool {
	own.Lock()
	defer own.Unlock()
	for _, at := range own.list {
		switch {
		case at.Port() != to.Port():
		case at.Addr() == to.Addr(), to.Addr().IsUnspecified():
			return true
		case at.Addr().IsUnspecified() && isLocal(to.Addr()):
			return true
		}
	}
	return false
}

// isLocal reports whether an address belongs to this machine.
func isLocal(addr netip.Addr) bool {
	if addr.IsLoopback() {
		return true
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true // the interfaces are not known: refuse
	}
	return slices.ContainsFunc(all, func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap() == addr
	})
}

// An OwnError reports a refused connection to the program itself.
type OwnError struct{ To netip.AddrPort }

// Error names the address.
func (e *OwnError) Error() string {
	return fmt.Sprintf("address %s is this server's own, or its database's, and was not called; no setting opens it", e.To)
}

// Refusal returns the error in err's chain that says why the policy refused a connection, nil
// for any other error.
func Refusal(err error) error {
	var blocked *BlockedError
	var own *OwnError
	switch {
	case errors.As(err, &blocked):
		return blocked
	case errors.As(err, &own):
		return own
	}
	return nil
}
