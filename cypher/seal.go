package cypher

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Neo4j applies a commit property by property, and reads take no locks: one beside it sees
// a new state with old counters, in about 4 of 1,000 reads of a session that is written
// all the time. So every write stores a seal with the session: a checksum of the properties
// that belong together, and whether the lease was kept. A reader whose checksum differs
// reads the session again, in the end under its lock.
//
// Reading under the lock each time would be simpler, but a reader would then wait for the
// holder of the lock and need two round trips. After an edit by hand the seal does not match
// until the next checkpoint; until then the session is read under its lock.
const (
	sealHeld = "held "
	sealFree = "free "
)

// sealBytes is how much of the SHA-256 a seal keeps.
const sealBytes = 16

// checksum returns the checksum of what a checkpoint writes to its session.
func checksum(held bool, version int64, status string, state, counters, awaiting []byte) string {
	h := sha256.New()
	n := make([]byte, 8)
	number := func(v uint64) {
		binary.BigEndian.PutUint64(n, v)
		h.Write(n)
	}
	for _, part := range [][]byte{[]byte(status), state, counters, awaiting} {
		number(uint64(len(part)))
		h.Write(part)
	}
	number(uint64(version))
	seal := make([]byte, 0, len(sealHeld)+2*sealBytes)
	if held {
		seal = append(seal, sealHeld...)
	} else {
		seal = append(seal, sealFree...)
	}
	return string(hex.AppendEncode(seal, h.Sum(nil)[:sealBytes]))
}

// checkpointSeal returns the seal that a checkpoint writes. A checkpoint that does not write
// state or counters cannot compute it and removes the seal.
func checkpointSeal(c *store.Checkpoint) any {
	if c.State == nil || c.Counters == nil {
		return nil
	}
	return checksum(!c.Release, c.Version+1, c.Status, c.State, c.Counters, c.Awaiting)
}

// isConsistent reports whether the properties read of a session come from one commit: their sum is
// the one in the seal.
func isConsistent(record *store.SessionRecord, sealed string) bool {
	held := strings.HasPrefix(sealed, sealHeld)
	if held && record.Lease == "" {
		return false // the lease of the next checkpoint, or one that was given back
	}
	fits := func(status string) bool {
		return sealed == checksum(held, record.Version, status, record.State, record.Counters, record.Awaiting)
	}
	// A session that waits for its turn has another status than its checkpoint wrote, see turn_queue.cypher.
	return fits(record.Status) || record.Status == store.StatusPending && (fits(store.StatusActive) || fits(store.StatusAwaitingInput))
}

// splitConsistent adds the sessions that were read consistently to the list and returns the ids of
// the others.
func splitConsistent(list []store.SessionRecord, rows []row) (_ []store.SessionRecord, torn []string) {
	for _, r := range rows {
		p := r.properties("session")
		record := sessionFrom(p)
		if isConsistent(&record, p.text("seal")) {
			list = append(list, record)
		} else {
			torn = append(torn, record.ID)
		}
	}
	return list, torn
}
