package storetest

import (
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

var enginesCases = []testCase{
	{"announced with their functions, each once", enginesAnnounced},
	{"those not heard of lately are left out, and forgotten", enginesForgotten},
}

// engines are the announcements of this case, of any age up to within.
func (k *kit) engines(within time.Duration) []store.Announcement {
	k.Helper()
	all, err := k.store.Engines(k.ctx, within)
	k.noError(err)
	return slices.DeleteFunc(all, func(a store.Announcement) bool { return a.Name != k.prefix })
}

func enginesAnnounced(k *kit) {
	for _, a := range []store.Announcement{
		{ID: k.id("b"), Name: k.prefix, Functions: []string{"x", "shop.*"}},
		{ID: k.id("a"), Name: k.prefix},
		{ID: k.id("b"), Name: k.prefix, Functions: []string{"y"}, Version: "v1.2", State: "draining", Holds: []byte(`{"sessions":3}`)},
	} {
		k.noError(k.store.Announce(k.ctx, a, time.Hour))
	}
	list := k.engines(long)
	k.equal("engines", len(list), 2)
	k.equal("ids in order", []string{list[0].ID, list[1].ID}, []string{k.id("a"), k.id("b")})
	k.equal("functions of none", len(list[0].Functions), 0)
	k.equal("functions", list[1].Functions, []string{"y"})
	k.near("when it was heard", list[1].At)
	k.equal("version and state", []string{list[1].Version, list[1].State}, []string{"v1.2", "draining"})
	k.equal("what it holds", string(list[1].Holds), `{"sessions":3}`)
	k.equal("what one holds that says nothing", len(list[0].Holds), 0)
}

func enginesForgotten(k *kit) {
	k.noError(k.store.Announce(k.ctx, store.Announcement{ID: k.id("old"), Name: k.prefix}, time.Hour))
	k.pass(k.now().Add(10 * time.Millisecond))
	k.equal("heard within a moment", len(k.engines(time.Millisecond)), 0)
	k.equal("heard within an hour", len(k.engines(time.Hour)), 1)
}
