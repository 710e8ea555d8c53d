package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// ListsName is the workload that Lists measures.
const ListsName = "lists"

// An Asked is what one question about many sessions took, as a client of the API sees it.
type Asked struct {
	Workload string  `json:"workload"`
	Question string  `json:"question"`
	First    float64 `json:"first_ms"` // the first time: nothing of the answer is kept yet
	Least    float64 `json:"least_ms"` // of the others
	P50      float64 `json:"p50_ms"`
	Max      float64 `json:"max_ms"`
	Partial  bool    `json:"partial,omitempty"` // the first answer is about a part of the sessions that were searched
	Looked   int64   `json:"looked,omitempty"`  // sessions in that part
}

// A Server is what the questions were put to.
type Server struct {
	Workload string  `json:"workload"`
	Store    string  `json:"store,omitempty"`
	Sessions int64   `json:"sessions"`
	RSS      float64 `json:"rss_mb"`  // resident memory of its process
	Heap     float64 `json:"heap_mb"` // objects on its heap
}

// timesAsked is how often each question is asked again.
const timesAsked = 9

// Lists asks every list, count and look at many sessions of a server whose store has been filled (see
// Fill), each several times. done is called with each question as it is answered.
func Lists(ctx context.Context, base string, done func(*Asked) error) (*Server, error) {
	l := &lister{base: base}
	var some struct {
		Items []struct {
			ID        string    `json:"id"`
			CreatedAt time.Time `json:"created_at"`
		}
		Next string
	}
	if err := l.get(ctx, "/api/v1/sessions?workflow="+FillWorkflow, &some); err != nil {
		return nil, err
	}
	if len(some.Items) == 0 {
		return nil, fmt.Errorf("no session of %s in the store: fill it first", FillWorkflow)
	}
	for _, q := range questions(some.Items[0].ID, some.Items[0].CreatedAt, some.Next) {
		asked, err := l.measured(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name, err)
		}
		if err := done(asked); err != nil {
			return nil, err
		}
	}
	return l.server(ctx)
}

// A listQuestion is one request; one with a body is posted.
type listQuestion struct{ name, path, body string }

// questions are all lists, counts and looks at many sessions. Fill has written what they look for.
func questions(id string, at time.Time, next string) []listQuestion {
	const (
		sessions = "/api/v1/sessions?"
		counts   = "/api/v1/sessions/count?"
		awaiting = "/api/v1/awaiting?"
		workflow = "/api/v1/workflows/" + FillWorkflow
		none     = "q=a+text+that+none+has"
	)
	before := url.Values{"created_before": {at.UTC().Format(time.RFC3339Nano)}}.Encode()
	after := url.Values{"created_after": {at.Add(-time.Second).UTC().Format(time.RFC3339Nano)}}.Encode()
	of, step := "workflow="+FillWorkflow, "step="+place(stepsAround)
	path := url.PathEscape(place(1) + ">" + place(2))
	return []listQuestion{
		{"sessions", sessions, ""},
		{"sessions of a workflow", sessions + of, ""},
		{"the same, next page", sessions + of + "&cursor=" + url.QueryEscape(next), ""},
		{"sessions by status: awaiting_input", sessions + "status=awaiting_input", ""},
		{"sessions by status: complete", sessions + "status=complete", ""},
		{"sessions by status: error", sessions + "status=error", ""},
		{"sessions of a workflow by two statuses", sessions + of + "&status=complete,awaiting_input", ""},
		{"sessions with a question", sessions + "awaiting=true", ""},
		{"sessions with a question and status complete", sessions + "awaiting=true&status=complete", ""},
		{"sessions with a question at a step", sessions + step, ""},
		{"sessions with a question at another step", sessions + "step=nowhere", ""},
		{"sessions with a rare label", sessions + "label=n%3D5", ""},
		{"sessions with a common label", sessions + "label=tenth%3D3", ""},
		{"sessions with two labels that none has both", sessions + "label=tenth%3D3&label=half%3D0", ""},
		{"sessions with a text that none has", sessions + none, ""},
		{"sessions of a status with a text that none has", sessions + none + "&status=complete", ""},
		{"sessions created before a time", sessions + before, ""},
		{"sessions created after a time", sessions + after, ""},
		{"sessions below a session", sessions + "root=" + url.QueryEscape(id), ""},
		{"sessions that wait since before a time", sessions + "waiting_before=2020-01-01T00%3A00%3A00Z", ""},
		{"inbox", awaiting, ""},
		{"inbox of a workflow", awaiting + of, ""},
		{"inbox of another workflow", awaiting + "workflow=nowhere", ""},
		{"inbox of a step", awaiting + step, ""},
		{"inbox with a common label", awaiting + "label=tenth%3D3", ""},
		{"inbox with a text that none has", awaiting + none, ""},
		{"count by status", counts + "by=status", ""},
		{"count by workflow", counts + "by=workflow", ""},
		{"count by workflow and status", counts + "by=workflow,status", ""},
		{"count by step", counts + "by=step", ""},
		{"count by status of a workflow", counts + "by=status&" + of, ""},
		{"count by step of a workflow", counts + "by=step&" + of, ""},
		{"count with a question", counts + "awaiting=true", ""},
		{"count with a common label", counts + "label=tenth%3D3", ""},
		{"count with a text that none has", counts + none, ""},
		{"count created after a time", counts + after, ""},
		{"stats", workflow + "/stats", ""},
		{"traffic", workflow + "/traffic", ""},
		{"affected by a step that all wait at", workflow + "/steps/" + place(stepsAround) + "/affected", ""},
		{"affected by a step that all have passed", workflow + "/steps/" + place(0) + "/affected", ""},
		{"affected by a path", workflow + "/paths/" + path + "/affected", ""},
		{"whatif", workflow + "/paths/" + path + "/whatif", `{"condition": {"true": "@{SESSION_ID}.s01.done"}}`},
		{"workflows", "/api/v1/workflows", ""},
		{"batches", "/api/v1/batches", ""},
	}
}

// A lister asks a server.
type lister struct {
	base   string
	client http.Client
}

func (l *lister) measured(ctx context.Context, q listQuestion) (*Asked, error) {
	took := make([]time.Duration, 1+timesAsked)
	var first struct {
		Next    string
		More    bool
		Looked  int64
		Scanned int64
		Partial bool
	}
	for i := range took {
		began := time.Now()
		text, err := l.ask(ctx, q)
		took[i] = time.Since(began)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if err := json.Unmarshal(text, &first); err != nil {
				return nil, err
			}
		}
	}
	a := &Asked{Workload: ListsName, Question: q.name, First: ms(took[0]), Looked: first.Looked + first.Scanned,
		Partial: first.Next != "" && first.Looked+first.Scanned > 0}
	again := took[1:]
	slices.Sort(again)
	a.Least, a.P50, a.Max = ms(again[0]), ms(again[len(again)/2]), ms(again[len(again)-1])
	return a, nil
}

func (l *lister) ask(ctx context.Context, q listQuestion) ([]byte, error) {
	method := http.MethodGet
	if q.body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, l.base+q.path, bytes.NewReader([]byte(q.body)))
	if err != nil {
		return nil, err
	}
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w, err := l.client.Do(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(w.Body)
	if closed := w.Body.Close(); err == nil {
		err = closed
	}
	if err == nil && w.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %s", method, q.path, w.Status, text)
	}
	return text, err
}

func (l *lister) get(ctx context.Context, path string, into any) error {
	text, err := l.ask(ctx, listQuestion{path: path})
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// server says what the server is and how much memory it has.
func (l *lister) server(ctx context.Context) (*Server, error) {
	s := &Server{Workload: ListsName}
	var counted struct{ Total int64 }
	if err := l.get(ctx, "/api/v1/sessions/count?by=workflow", &counted); err != nil {
		return nil, err
	}
	s.Sessions = counted.Total
	runtime.GC() // where it is this process
	text, err := l.ask(ctx, listQuestion{path: "/metrics"})
	if err != nil {
		return nil, err
	}
	for name, into := range map[string]*float64{"process_resident_memory_bytes": &s.RSS, "go_memstats_heap_alloc_bytes": &s.Heap} {
		if row := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text); row != nil {
			n, err := strconv.ParseFloat(string(row[1]), 64)
			if err != nil {
				return nil, err
			}
			*into = round(n / (1 << 20))
		}
	}
	return s, nil
}
