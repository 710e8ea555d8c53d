package api

import (
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// A Session is a session as clients see it.
type Session struct {
	ID           string                  `json:"id" example:"0192f0c1-8a53-7c5e-9b1d-2f60d1e4a7b3"`
	Workflow     string                  `json:"workflow" example:"conversation"`
	Status       string                  `json:"status" enum:"active,awaiting_input,pending,paused,complete,error,cancelled" example:"awaiting_input"`
	Version      int64                   `json:"version" doc:"grows with each checkpoint; the ETag of session and state"`
	CreatedAt    time.Time               `json:"created_at"`
	UpdatedAt    time.Time               `json:"updated_at"`
	Labels       map[string]string       `json:"labels,omitempty"`
	Awaiting     []engine.Question       `json:"awaiting" doc:"the open questions, the one that waits longest first"`
	AwaitingMore bool                    `json:"awaiting_more,omitempty" doc:"true: sessions below this one ask more than awaiting lists; answer some, or page through /api/v1/awaiting?root="`
	Error        *engine.SessionError    `json:"error,omitempty"`
	Problems     []engine.SessionProblem `json:"problems,omitempty" doc:"why steps wait, failed, or paths are closed"`
	Messages     []Message               `json:"messages" doc:"the newest of the chat; all of it is at …/messages"`
	Result       json.RawMessage         `json:"result,omitempty" doc:"of a complete session: the newest output of the step without a forward path that ran, by step id where there are several"`
	Accepted     *engine.Accepted        `json:"accepted,omitempty" doc:"on the reply to an answer: what was accepted"`
}

// A Message is one line of a session's chat.
type Message struct {
	ID      string    `json:"id" doc:"session/n"`
	Role    string    `json:"role" enum:"user,assistant"`
	Content string    `json:"content"`
	Step    string    `json:"step,omitempty" doc:"the step that asked, replied or was answered"`
	At      time.Time `json:"at"`
}

func sessionOf(s *engine.Session) Session {
	out := Session{ID: s.ID, Workflow: s.Workflow, Status: s.Status, Version: s.Version,
		CreatedAt: s.CreatedAt.UTC(), UpdatedAt: s.UpdatedAt.UTC(), Labels: s.Labels,
		Awaiting: questionsOf(s.Awaiting), AwaitingMore: s.AwaitingMore, Error: s.Error, Problems: s.Problems,
		Messages: messagesOf(s.Messages), Result: s.Result, Accepted: s.Accepted}
	if s.Accepted != nil {
		accepted := *s.Accepted
		accepted.At = accepted.At.UTC()
		out.Accepted = &accepted
	}
	return out
}

func messageOf(m engine.Message) Message {
	return Message{ID: m.ID, Role: m.Role, Content: m.Content, Step: m.Step, At: time.UnixMilli(m.At).UTC()}
}

func messagesOf(list []engine.Message) []Message {
	out := make([]Message, len(list))
	for i := range list {
		out[i] = messageOf(list[i])
	}
	return out
}

func questionsOf(list []engine.Question) []engine.Question {
	if list == nil {
		return []engine.Question{}
	}
	return list
}

// An Execution is one ended attempt at a step.
type Execution struct {
	ID         string          `json:"id" doc:"session/seq"`
	Session    string          `json:"session"`
	Seq        int64           `json:"seq" doc:"1, 2, … within the session"`
	Workflow   string          `json:"workflow"`
	Step       string          `json:"step"`
	Visit      int             `json:"visit" doc:"the n-th time the session ran the step"`
	Attempt    int             `json:"attempt"`
	Status     string          `json:"status" enum:"complete,answered,error,cancelled,lost,round"`
	Function   string          `json:"function,omitempty"`
	Input      json.RawMessage `json:"input,omitempty" doc:"as resolved; above 16 KB its beginning, length and hash"`
	Output     json.RawMessage `json:"output,omitempty" doc:"above 16 KB its beginning, length and hash"`
	Error      json.RawMessage `json:"error,omitempty" doc:"{kind, message, transient}"`
	Paths      json.RawMessage `json:"paths,omitempty" doc:"the step's paths as they were judged after it"`
	Usage      json.RawMessage `json:"usage,omitempty"`
	Parent     string          `json:"parent,omitempty" doc:"the execution of the agent or container it ran in"`
	StartedAt  time.Time       `json:"started_at"`
	FinishedAt time.Time       `json:"finished_at"`
	Definition string          `json:"definition,omitempty" doc:"hash of the step's text that ran"`
	Reads      []string        `json:"reads" doc:"ids of the executions whose outputs its input read"`
	Took       []string        `json:"took" doc:"ids of the executions after which a path led here"`
}

func executionOf(x *engine.Execution) Execution {
	return Execution{ID: x.ID, Session: x.Session, Seq: x.Seq, Workflow: x.Workflow, Step: x.Step, Visit: x.Visit,
		Attempt: x.Attempt, Status: x.Status, Function: x.Function, Input: x.Input, Output: x.Output, Error: x.Error,
		Paths: x.Paths, Usage: x.Usage, Parent: x.Parent, StartedAt: x.StartedAt.UTC(), FinishedAt: x.FinishedAt.UTC(),
		Definition: x.Definition, Reads: executionsOf(x.Reads), Took: executionsOf(x.Took)}
}

// executionsOf names each execution once, however many references read it.
func executionsOf(list []engine.Lineage) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, l := range list {
		if !seen[l.Execution] {
			seen[l.Execution] = true
			out = append(out, l.Execution)
		}
	}
	return out
}
