package storetest

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

var childCases = []testCase{
	{"created with the checkpoint", childCreated},
	{"one that exists already is left as it is", childExists},
	{"created for its creator", childClaimed},
	{"a hundred at once", childMany},
}

func childCreated(k *kit) {
	r := k.held("a")
	c := k.checkpoint(r)
	one, two := k.newSession("a/map/1/0"), k.newSession("a/map/1/1")
	one.Root, two.Root = r.ID, r.ID
	two.Labels = map[string]string{"team": "blue"}
	c.Children = []store.NewSession{two, one}
	k.commit(c)
	ids, err := k.store.Children(k.ctx, r.ID)
	k.noError(err)
	k.equal("children", ids, []string{one.ID, two.ID})
	got := k.session("a/map/1/1")
	k.equal("texts", []string{string(got.State), got.Workflow, got.Root, got.Status, got.Lease, got.Labels["team"]},
		[]string{string(two.State), two.Workflow, r.ID, two.Status, "", "blue"})
	k.near("due_at", got.DueAt)
	k.near("created_at", got.CreatedAt)
	k.lists("root", store.SessionQuery{Root: r.ID}, "a", "a/map/1/0", "a/map/1/1")
}

func childExists(k *kit) {
	there := k.held("child")
	r := k.held("a")
	c := k.checkpoint(r)
	again := k.newSession("child")
	again.State = []byte(`{"again":true}`)
	c.Children = []store.NewSession{again, k.newSession("other")}
	k.commit(c)
	k.sameRecord("child", k.session("child"), there)
	k.session("other")
	k.equal("version", k.session("a").Version, int64(1))
}

func childClaimed(k *kit) {
	c := k.checkpoint(k.held("a"))
	child := k.newSession("child")
	child.Claim = &store.Lease{Token: k.token(), Owner: "storetest", For: long}
	c.Children = []store.NewSession{child}
	k.commit(c)
	got := k.session("child")
	k.equal("lease", got.Lease, child.Claim.Token)
	k.commit(k.checkpoint(got))
}

func childMany(k *kit) {
	c := k.checkpoint(k.held("a"))
	for i := range 100 {
		c.Children = append(c.Children, k.newSession(fmt.Sprintf("a/map/1/%d", i)))
	}
	k.commit(c)
	ids, err := k.store.Children(k.ctx, k.id("a"))
	k.noError(err)
	k.equal("children", len(ids), 100)
}
