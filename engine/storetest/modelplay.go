package storetest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/stepgraph/stepgraph/engine/store"
)

func (p *pair) create() {
	var sessions []store.NewSession
	for range rapid.IntRange(1, 2).Draw(p.T, "sessions") {
		n := p.newSession(p.id("id"))
		if p.chance(3, "with key") {
			n.Key = p.prefix + rapid.SampledFrom([]string{"k1", "k2"}).Draw(p.T, "key")
			n.BodyHash = rapid.SampledFrom([]string{"h1", "h2"}).Draw(p.T, "hash")
		}
		if p.chance(3, "with parent") {
			n.Parent = p.existing("parent")
		}
		sessions = append(sessions, n)
	}
	p.same(fmt.Sprintf("create %+v", sessions), func(s store.Store) string {
		results, err := s.Create(p.ctx, sessions)
		text := kindOf(err)
		for _, c := range results {
			text += fmt.Sprintf("\n%s %v ", kindOf(c.Err), c.Exists)
			if c.Err == nil {
				text += p.describe(s, c.Session)
			}
		}
		return text
	})
}

// existing is a session that is there, or none.
func (p *pair) existing(label string) string {
	if id := p.id(label); p.record(id) != nil {
		return id
	}
	return ""
}

func (p *pair) newSession(id string) store.NewSession {
	return store.NewSession{
		ID: id, Workflow: p.prefix + rapid.SampledFrom([]string{"-w1", "-w2"}).Draw(p.T, "workflow"),
		State: []byte(`{"new":"` + p.fresh() + `"}`), Counters: []byte(`{}`), Status: p.status(),
		Labels: map[string]string{"team": rapid.SampledFrom([]string{"red", "blue"}).Draw(p.T, "team")}, Claim: p.maybeLease(),
	}
}

func (p *pair) status() string {
	return rapid.SampledFrom([]string{store.StatusActive, store.StatusPending, store.StatusComplete}).Draw(p.T, "status")
}

func (p *pair) claim() {
	id, token, d := p.id("id"), p.fresh(), p.leaseFor()
	o := store.ClaimOptions{Owner: "model", For: d, Limit: 10, Token: func() string { return token }}
	p.same("claim "+id, func(s store.Store) string {
		claimed, err := s.ClaimByID(p.ctx, []string{id}, o)
		text := kindOf(err)
		for _, c := range claimed {
			text += p.describeClaimed(s, &c)
		}
		return text
	})
}

// token is that of the holder, or sometimes a stale one.
func (p *pair) token(r *store.SessionRecord) string {
	if r == nil || p.chance(6, "stale token") {
		return "stale"
	}
	return r.Lease
}

func (p *pair) refs() []store.LeaseRef {
	var refs []store.LeaseRef
	for _, id := range p.distinct(2) {
		refs = append(refs, store.LeaseRef{Session: id, Token: p.token(p.record(id))})
	}
	return refs
}

func (p *pair) extend() {
	refs, d := p.refs(), p.leaseFor()
	p.same(fmt.Sprintf("extend %+v", refs), func(s store.Store) string {
		lost, err := s.Extend(p.ctx, refs, d)
		return kindOf(err) + sortedText(lost)
	})
}

func (p *pair) release() {
	refs := p.refs()
	p.same(fmt.Sprintf("release %+v", refs), func(s store.Store) string { return kindOf(s.Release(p.ctx, refs)) })
}

// wake does not compare how many were woken: those due already may count or not.
func (p *pair) wake() {
	p.same("wake", func(s store.Store) string {
		_, err := s.WakePending(p.ctx, p.prefix+"-w1", "", 100)
		return kindOf(err)
	})
}

func (p *pair) deliver() {
	var deliveries []store.Delivery
	var texts []string
	for range rapid.IntRange(1, 3).Draw(p.T, "deliveries") {
		d, text := p.delivery()
		deliveries, texts = append(deliveries, d), append(texts, text)
	}
	p.same("deliver "+strings.Join(texts, ", "), func(s store.Store) string {
		results, err := s.Deliver(p.ctx, deliveries)
		text := kindOf(err)
		for _, d := range results {
			text += "\n" + kindOf(d.Err)
			if d.Err == nil {
				text += describeRequest(d.Request) + p.describe(s, d.Session) + p.describeClaimed(s, d.Claimed)
			}
		}
		return text
	})
}

// delivery decides in one of the ways a caller may; what it saw goes into the request.
func (p *pair) delivery() (store.Delivery, string) {
	id := p.id("to")
	key := rapid.SampledFrom([]string{"k1", "k2", "k3", "k4"}).Draw(p.T, "key")
	step := rapid.SampledFrom([]string{"", "ask", "other"}).Draw(p.T, "step")
	way := rapid.SampledFrom([]string{"always", "if new", "never", "refuse"}).Draw(p.T, "decide")
	decide := func(v store.InboxView) (*store.Request, error) {
		switch {
		case way == "refuse":
			return nil, store.ErrNoOpenQuestion
		case way == "never", way == "if new" && v.Same != nil:
			return nil, nil
		}
		last, err := v.LastAnswer("ask")
		if err != nil {
			return nil, err
		}
		r := store.Request{Kind: store.RequestSignal}
		if step != "" {
			r = answer(id, step, 1)
		}
		r.By = fmt.Sprintf("saw %s; same %s; last %s; inbox %d", keysOf(v.Unapplied, false), keyOf(v.Same), keyOf(last), v.Session.Inbox)
		return &r, nil
	}
	return store.Delivery{Session: id, Key: key, Decide: decide, Claim: p.maybeLease()}, fmt.Sprintf("%s %s %s %s", id, key, step, way)
}

func (p *pair) editState() {
	id := p.id("id")
	edit := store.StateEdit{Session: id, State: []byte(`{"edited":"` + p.fresh() + `"}`), Status: p.status(),
		Request: store.Request{Key: p.fresh(), Kind: store.RequestState, By: "model"}}
	if r := p.record(id); r != nil {
		edit.Version, edit.Seen = r.Version, r.Inbox
	}
	if p.chance(5, "request unread") {
		edit.Seen--
	}
	if p.chance(5, "stale version") {
		edit.Version++
	}
	p.same("edit the state of "+id, func(s store.Store) string {
		r, err := s.EditState(p.ctx, edit)
		if err != nil {
			return kindOf(err)
		}
		return p.describe(s, *r)
	})
}

func (p *pair) delete() {
	id := p.id("id")
	p.same("delete "+id, func(s store.Store) string {
		for range 1000 {
			if done, err := s.DeleteSession(p.ctx, id); done || err != nil {
				return fmt.Sprint(done, kindOf(err))
			}
		}
		return "never done"
	})
}
