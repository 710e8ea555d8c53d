package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A watching client reads a session's event stream.
type watching struct {
	t      *testing.T
	lines  *bufio.Scanner
	body   io.Closer
	cancel context.CancelFunc
	header http.Header
}

// An event is one as it came over the wire.
type event struct {
	kind, id string
	data     map[string]any
}

func (w *world) watch(id, lastEventID string, query ...string) *watching {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	r, err := http.NewRequestWithContext(ctx, "GET", w.server.URL+"/api/v1/sessions/"+id+"/events"+strings.Join(query, ""), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if lastEventID != "" {
		r.Header.Set("Last-Event-ID", lastEventID)
	}
	got, err := w.server.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	if got.StatusCode != 200 || got.Header.Get("Content-Type") != eventStream || got.Header.Get("X-Accel-Buffering") != "no" {
		w.t.Fatalf("%d %v", got.StatusCode, got.Header)
	}
	s := &watching{t: w.t, lines: bufio.NewScanner(got.Body), body: got.Body, cancel: cancel, header: got.Header}
	if line := s.line(); line != "retry: 1000" {
		w.t.Fatalf("begins with %q", line)
	}
	s.line()
	return s
}

func (s *watching) line() string {
	s.t.Helper()
	if !s.lines.Scan() {
		s.t.Fatalf("the stream ended: %v", s.lines.Err())
	}
	return s.lines.Text()
}

// any reads the next event, comments excepted.
func (s *watching) any() (ev event) {
	s.t.Helper()
	for {
		line := s.line()
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "event":
			ev.kind = value
		case "id":
			ev.id = value
		case "data":
			if err := json.Unmarshal([]byte(value), &ev.data); err != nil {
				s.t.Fatal(err)
			}
		case "":
			if ev.kind != "" {
				return ev
			}
		}
	}
}

// next reads events up to the first of a kind.
func (s *watching) next(kind string) event {
	s.t.Helper()
	for {
		if ev := s.any(); ev.kind == kind {
			return ev
		}
	}
}

// ended fails unless the stream is over.
func (s *watching) ended() {
	s.t.Helper()
	if s.lines.Scan() {
		s.t.Errorf("after the end: %q", s.lines.Text())
	}
	s.close()
}

func (s *watching) close() { s.cancel(); _ = s.body.Close() }

func TestEvents(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	stream := w.watch(id, "")
	snapshot := stream.any()
	if snapshot.kind != "snapshot" || snapshot.data["id"] != id || snapshot.data["status"] != "awaiting_input" || snapshot.id == "" {
		t.Fatalf("first event %+v", snapshot)
	}
	w.do("POST", "/api/v1/sessions/"+id+"/answer", map[string]any{"response": "Ada"}).want(200)
	if m := stream.next("message"); m.data["content"] != "Ada" || m.data["role"] != "user" || m.id == "" {
		t.Errorf("message %+v", m)
	} else if _, err := time.Parse(time.RFC3339, m.data["at"].(string)); err != nil {
		t.Error(err)
	}
	if s := stream.next("session"); s.data["status"] != "awaiting_input" || s.data["awaiting"].([]any)[0].(map[string]any)["step"] != "sure" {
		t.Errorf("session %+v", s)
	}
	w.do("POST", "/api/v1/sessions/"+id+"/answer", map[string]any{"response": "red"}).want(200)
	end := stream.next("end")
	if end.data["status"] != "complete" || fmt.Sprint(end.data["awaiting"]) != "[]" {
		t.Errorf("end %+v", end)
	}
	stream.ended()

	// Who comes back with an id gets what was missed, by header or in the query.
	for _, query := range []string{"", "?last_event_id=" + snapshot.id} {
		last := snapshot.id
		if query != "" {
			last = ""
		}
		back := w.watch(id, last, query)
		var said []string
		for {
			ev := back.any()
			if ev.kind == "snapshot" {
				t.Error("a snapshot again")
			}
			if ev.kind == "message" {
				said = append(said, ev.data["content"].(string))
			}
			if ev.kind == "end" {
				break
			}
		}
		if fmt.Sprint(said) != "[Ada Hello Ada Which? red]" {
			t.Errorf("missed %v", said)
		}
		back.ended()
	}
	again := w.watch(id, end.id)
	for ev := again.any(); ev.kind != "end"; ev = again.any() {
		if ev.kind != "session" { // which says where it stands, at most once more
			t.Errorf("after everything: %+v", ev)
		}
	}
	again.ended()
}

func TestEventsHeartbeatAndMetrics(t *testing.T) {
	w := newWorld(t, Options{Heartbeat: 10 * time.Millisecond})
	id := w.start("talk")
	stream := w.watch(id, "")
	stream.next("snapshot")
	for range 3 {
		if line := stream.line(); line != ": alive" {
			t.Errorf("line %q", line)
		}
		stream.line()
	}
	if text := w.do("GET", "/metrics", nil).text; !strings.Contains(text, "stepgraph_http_event_streams 1\n") {
		t.Error("the open stream is not counted")
	}
	stream.close()
}

// TestEventsResumeInsideACheckpoint: the messages of one turn are made durable together;
// who was cut off after the first of them gets the others.
func TestEventsResumeInsideACheckpoint(t *testing.T) {
	w := newWorld(t, Options{})
	id := w.start("talk")
	stream := w.watch(id, "")
	w.do("POST", "/api/v1/sessions/"+id+"/answer?wait=10s", map[string]any{"response": "Ada"}).want(200)
	first := stream.next("message")
	stream.close()
	if first.data["content"] != "Ada" {
		t.Fatalf("first message %+v", first)
	}
	back := w.watch(id, first.id)
	for _, want := range []string{"Hello Ada", "Which?"} {
		if m := back.next("message"); m.data["content"] != want {
			t.Errorf("got %v, want %s", m.data["content"], want)
		}
	}
	back.close()
}

// A client of a conversation hears what the session says to the person, not what its steps say
// to each other.
func TestEventsOfOneAudience(t *testing.T) {
	w := newWorld(t, Options{})
	for query, want := range map[string]string{
		"":                   "internal: He owes 400./person: All is /internal: Hm./person: paid./",
		"?audience=person":   "person: All is /person: paid./",
		"?audience=internal": "internal: He owes 400./internal: Hm./",
	} {
		id := w.start("thinks")
		stream := w.watch(id, "", query)
		stream.next("snapshot")
		w.do("POST", "/api/v1/sessions/"+id+"/answer", map[string]any{"response": "well"}).want(200)
		heard, said := "", ""
		for ev := stream.any(); ev.kind != "end"; ev = stream.any() {
			switch {
			case ev.kind == "token":
				heard += fmt.Sprintf("%s: %s/", ev.data["audience"], ev.data["text"])
			case ev.kind == "message" && ev.data["role"] == "assistant":
				said += ev.data["content"].(string)
			}
		}
		if heard != want || said != "All is paid." {
			t.Errorf("%q: heard %q, said %q", query, heard, said)
		}
		stream.ended()
	}
	w.do("GET", "/api/v1/sessions/"+w.start("plain")+"/events?audience=all", nil).want(422)
}
