package main

import (
	"context"
	"net"
	"net/url"
	"time"

	"github.com/stepgraph/stepgraph/functions/netguard"
)

// lookupTime bounds the lookup of a store's name. What is not found then is not guarded: the
// store itself is reached by the same name.
const lookupTime = 5 * time.Second

// denyDatabase forbids steps to call the database of the store, by Bolt or by the HTTP interface
// next to it: a client that may write to the database has the rights of an operator, and Community
// Edition has no roles that would limit it. The networks that --allow-net opens often contain the
// database.
func denyDatabase(ctx context.Context, addresses ...string) (release func()) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	var undo []func()
	for _, address := range addresses {
		for _, at := range databaseAddresses(ctx, address) {
			undo = append(undo, netguard.Own(at))
		}
	}
	return func() {
		for _, f := range undo {
			f()
		}
	}
}

// databaseAddresses are the addresses behind the URL of a Neo4j or of its Browser; none for
// other stores. A database on loopback is reached by every address of this machine.
func databaseAddresses(ctx context.Context, address string) (all []net.Addr) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	ports := []string{"7687", "7474", "7473"}
	switch u.Scheme {
	case "neo4j", "bolt", "neo4j+s", "bolt+s", "neo4j+ssc", "bolt+ssc":
		if u.Port() != "" {
			ports[0] = u.Port()
		}
	case "http", "https":
		if ports = []string{u.Port()}; u.Port() == "" {
			return nil
		}
	default:
		return nil
	}
	found, err := net.DefaultResolver.LookupIPAddr(ctx, u.Hostname())
	if err != nil {
		return nil
	}
	for _, ip := range found {
		for _, port := range ports {
			number, err := net.LookupPort("tcp", port)
			if err != nil {
				continue
			}
			at := &net.TCPAddr{IP: ip.IP, Port: number}
			if ip.IP.IsLoopback() {
				at.IP = net.IPv4zero
			}
			all = append(all, at)
		}
	}
	return all
}
