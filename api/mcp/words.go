package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A describedSession has the fields of a session that sessionWords describes.
type describedSession struct {
	ID, Workflow, Status string
	Awaiting             []question
	Messages             []struct{ Role, Content string }
	Error                *struct{ Step, Message string }
}

// A question is an open question of the session.
type question struct {
	Step, Kind, Function string
	Prompt               any
}

// sessionWords describes a session in a few lines: its status, the messages since a person last
// wrote, its open questions. It returns "" if body is not a session.
func sessionWords(body json.RawMessage) string {
	var s describedSession
	if json.Unmarshal(body, &s) != nil || s.ID == "" || s.Workflow == "" || s.Status == "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Session %s of %s: %s.", s.ID, s.Workflow, s.Status)
	for _, text := range s.said() {
		fmt.Fprintf(&b, "\nIt says: %s", text)
	}
	for _, q := range s.Awaiting {
		switch prompt, isText := q.Prompt.(string); {
		case q.Kind == "approval":
			fmt.Fprintf(&b, "\nStep %s waits for the approval of a call of %s.", q.Step, q.Function)
		case isText && prompt != "":
			fmt.Fprintf(&b, "\nStep %s asks (%s): %s", q.Step, q.Kind, prompt)
		default:
			fmt.Fprintf(&b, "\nStep %s waits for an answer (%s).", q.Step, q.Kind)
		}
	}
	if s.Error != nil {
		fmt.Fprintf(&b, "\nError at step %s: %s", s.Error.Step, s.Error.Message)
	}
	return b.String()
}

// said are the messages to the person after the person's last one, without those that are the
// prompts of open questions.
func (s *describedSession) said() []string {
	var texts []string
	for _, m := range s.Messages {
		prompts := slices.ContainsFunc(s.Awaiting, func(q question) bool { return q.Prompt == m.Content })
		switch {
		case m.Role == "user":
			texts = nil
		case m.Role == "assistant" && !prompts:
			texts = append(texts, m.Content)
		}
	}
	return texts
}
