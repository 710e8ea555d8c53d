package api

import (
	"bytes"
	"container/list"
	"net/http"
	"sync"
	"time"
)

// Bounds of the answers kept by key. They are kept in memory: what starts, answers or
// steers a session has its key in the store, for ever; these are edits and questions
// that do no harm when they are made twice.
const (
	maxAnswers     = 1000
	maxAnswerBytes = 16 << 20
	answersLast    = 24 * time.Hour
)

// keyHeader names a request, so that sending it again does not do it again.
const (
	keyHeader      = "Idempotency-Key"
	replayedHeader = "Idempotency-Replayed"
	maxKey         = 200
)

// A storedAnswer is a request that came with a key, and once done is closed its answer;
// status 0 means that it failed and may be tried again.
type storedAnswer struct {
	scope  string
	hash   [32]byte
	at     time.Time
	done   chan struct{}
	status int
	header http.Header
	body   []byte
}

// An answerStore keeps answers by caller, route and key; the oldest are removed first. The
// caller is part of it, because an answer may hold what another token may not see.
type answerStore struct {
	mu    sync.Mutex
	kept  map[string]*list.Element
	order *list.List // of *keptAnswer
	bytes int
	now   func() time.Time
}

func newAnswerStore() *answerStore {
	return &answerStore{kept: map[string]*list.Element{}, order: list.New(), now: time.Now}
}

// begin returns what is kept for a scope, or adds a fresh entry that the caller has to
// finish.
func (a *answerStore) begin(scope string, hash [32]byte) (k *storedAnswer, mine bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropOld()
	if e := a.kept[scope]; e != nil {
		return e.Value.(*storedAnswer), false
	}
	k = &storedAnswer{scope: scope, hash: hash, at: a.now(), done: make(chan struct{})}
	a.kept[scope] = a.order.PushBack(k)
	return k, true
}

// finish gives an entry its answer; one that was not a success is forgotten, since nothing
// has changed and trying again may go better.
func (a *answerStore) finish(k *storedAnswer, status int, header http.Header, body []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if status >= 200 && status < 300 {
		k.status, k.header, k.body = status, header, body
		a.bytes += len(body)
	} else {
		a.remove(k)
	}
	close(k.done)
	a.dropOld()
}

func (a *answerStore) dropOld() {
	for e := a.order.Front(); e != nil; {
		k := e.Value.(*storedAnswer)
		e = e.Next()
		if len(a.kept) <= maxAnswers && a.bytes <= maxAnswerBytes && a.now().Sub(k.at) < answersLast {
			return
		}
		select {
		case <-k.done:
			a.remove(k)
		default: // still running
		}
	}
}

func (a *answerStore) remove(k *storedAnswer) {
	if e := a.kept[k.scope]; e != nil && e.Value == k {
		a.order.Remove(e)
		delete(a.kept, k.scope)
		a.bytes -= len(k.body)
	}
}

// recordingWriter passes an answer on and keeps a copy.
type recordingWriter struct {
	statusWriter
	body bytes.Buffer
}

func (w *recordingWriter) Write(b []byte) (int, error) {
	w.body.Write(b)
	return w.statusWriter.Write(b)
}
