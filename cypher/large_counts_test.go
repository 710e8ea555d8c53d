package cypher

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// slowCount plays a store that takes a second to count n sessions.
type slowCount struct {
	n     int64
	err   error
	reads int
}

func (c *slowCount) read(ctx context.Context) (map[string]int64, error) {
	c.reads++
	n, err := c.n, c.err
	select {
	case <-time.After(time.Second):
		return map[string]int64{"active": n}, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func TestLargeCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, c := newLargeCounts(), &slowCount{n: manySessions}
		want := func(n int64, reads int, takes time.Duration) {
			t.Helper()
			began := time.Now()
			got, err := l.get(t.Context(), "all", c.read)
			if took := time.Since(began); err != nil || got["active"] != n || c.reads != reads || took != takes {
				t.Errorf("got %v, %v after %s and %d reads; want %d after %s and %d reads", got, err, took, c.reads, n, takes, reads)
			}
		}
		want(manySessions, 1, time.Second)
		c.n++
		want(manySessions, 1, 0) // young
		time.Sleep(5 * time.Second)
		want(manySessions, 1, 0) // the next is read beside it
		synctest.Wait()
		want(manySessions, 2, 0)
		time.Sleep(2 * time.Second)
		want(manySessions+1, 2, 0)
		time.Sleep(largeCountAge)
		c.n = 3
		want(3, 3, time.Second) // too old
		c.n = 4
		want(4, 4, time.Second) // few sessions are counted each time
		l.close()
	})
}

func TestLargeCountsThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, c := newLargeCounts(), &slowCount{n: manySessions}
		if _, err := l.get(t.Context(), "all", c.read); err != nil {
			t.Fatal(err)
		}
		c.err = errors.New("away")
		for range 3 { // old ones are given, and each time the next is tried
			time.Sleep(10 * time.Second)
			if got, err := l.get(t.Context(), "all", c.read); err != nil || got["active"] != manySessions {
				t.Errorf("got %v, %v", got, err)
			}
		}
		if synctest.Wait(); c.reads != 4 {
			t.Errorf("%d reads, want 4", c.reads)
		}
		time.Sleep(largeCountAge)
		if _, err := l.get(t.Context(), "all", c.read); err == nil {
			t.Error("counts of more than a minute ago were given")
		}
		c.err = nil
		if _, err := l.get(t.Context(), "all", c.read); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if _, err := l.get(t.Context(), "all", c.read); err != nil { // its refresh is ended by close
			t.Error(err)
		}
		l.close()
	})
}
