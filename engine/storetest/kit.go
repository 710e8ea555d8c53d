package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

const (
	// long is a lease that outlives every case.
	long = time.Hour
	// brief is a lease that ends while a case waits for it.
	brief = 40 * time.Millisecond
	// patience bounds every wait for something that comes at once on a healthy store.
	patience = 10 * time.Second
)

// A testCase is one sentence of the contract.
type testCase struct {
	name string
	run  func(k *kit)
}

// A kit is what a case works with: the store and names that no other case uses.
type kit struct {
	*testing.T
	store  store.Store
	ctx    context.Context
	prefix string
	last   atomic.Int64 // for tokens and transitions
}

func newKit(t *testing.T, opened store.Store) *kit {
	return &kit{T: t, store: retryingStore{opened}, ctx: t.Context(), prefix: "st-" + strings.ToLower(rand.Text()[:12])}
}

// id makes a name this case's own.
func (k *kit) id(name string) string { return k.prefix + "-" + name }

// ids does so for several.
func (k *kit) ids(names ...string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = k.id(name)
	}
	return out
}

// token returns a text that was never used before.
func (k *kit) token() string { return fmt.Sprintf("%s-t%d", k.prefix, k.last.Add(1)) }

// claim are the options of a claim for a time.
func (k *kit) claim(d time.Duration) store.ClaimOptions {
	return store.ClaimOptions{Owner: "storetest", For: d, Limit: 100, Token: k.token}
}

// noError stops the case when something that cannot go wrong did.
func (k *kit) noError(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

// isError wants an error to be a sentinel.
func (k *kit) isError(err, want error) {
	k.Helper()
	if !errors.Is(err, want) {
		k.Fatalf("error %v, want one that is %q", err, want)
	}
}

// isFault wants an error that is final: sending the same again cannot help.
func (k *kit) isFault(err error) {
	k.Helper()
	if err == nil {
		k.Fatal("no error")
	}
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknownOutcome) {
		k.Fatalf("error %v asks to send the same again", err)
	}
}

// equal compares deeply.
func (k *kit) equal(what string, got, want any) {
	k.Helper()
	if !reflect.DeepEqual(got, want) {
		k.Fatalf("%s:\n got %s\nwant %s", what, show(got), show(want))
	}
}

// show prints a value, a long one not in full.
func show(v any) string {
	text := fmt.Sprintf("%+v", v)
	if b, ok := v.([]byte); ok {
		text = fmt.Sprintf("%q", b)
	}
	if len(text) > 2000 {
		text = fmt.Sprintf("%s … (%d bytes)", text[:2000], len(text))
	}
	return text
}

// sameTime compares to the millisecond, which every store keeps, and wants UTC.
func (k *kit) sameTime(what string, got, want time.Time) {
	k.Helper()
	if got.IsZero() != want.IsZero() || got.Sub(want).Abs() > time.Millisecond {
		k.Fatalf("%s is %v, want %v", what, got, want)
	}
	if got.Location() != time.UTC {
		k.Fatalf("%s is in %v, want UTC", what, got.Location())
	}
}

// near wants a time the store took from its own clock just now.
func (k *kit) near(what string, got time.Time) {
	k.Helper()
	now := k.now()
	if got.After(now.Add(time.Millisecond)) || now.Sub(got) > time.Minute {
		k.Fatalf("%s is %v, want about %v", what, got, now)
	}
}

// now is the store's clock.
func (k *kit) now() time.Time {
	k.Helper()
	now, err := k.store.Now(k.ctx)
	k.noError(err)
	return now
}

// until polls until done, and stops the case when that takes too long.
func (k *kit) until(what string, done func() bool) {
	k.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			k.Fatalf("waited in vain until %s", what)
		}
	}
}

// pass waits until the store's clock is past a time.
func (k *kit) pass(t time.Time) {
	k.Helper()
	k.until("the store's clock is past "+t.String(), func() bool { return k.now().After(t.Add(time.Millisecond)) })
}

// race runs f n times at once. An error stops the case after all have ended.
func (k *kit) race(n int, f func(i int) error) {
	k.Helper()
	start := make(chan struct{})
	faults := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			faults[i] = f(i)
		})
	}
	close(start)
	all.Wait()
	k.noError(errors.Join(faults...))
}
