package engine_test

import (
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
)

func TestRetryWaitsWithinItsBounds(t *testing.T) {
	p, err := function.ParseRetry(`{"max_attempts": 9, "initial_interval": "1s", "backoff": 3, "max_interval": "20s", "jitter": 0.25}`)
	if err != nil {
		t.Fatal(err)
	}
	for failed, interval := range map[int]time.Duration{1: time.Second, 2: 3 * time.Second, 3: 9 * time.Second, 4: 20 * time.Second, 400: 20 * time.Second} {
		least, most := interval*3/4, interval*5/4
		varies := map[time.Duration]bool{}
		for range 200 {
			wait := p.Wait(failed, 0)
			if wait < least || wait > most {
				t.Errorf("after %d failures: wait %s, want %s to %s", failed, wait, least, most)
			}
			varies[wait] = true
		}
		if len(varies) < 2 {
			t.Errorf("after %d failures: 200 waits are all alike in spite of jitter", failed)
		}
		if wait := p.Wait(failed, time.Hour); wait != time.Hour {
			t.Errorf("after %d failures: wait %s although the other side asked for an hour", failed, wait)
		}
	}
}
