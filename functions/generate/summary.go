package generate

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

const summarise = "Sum up the conversation you are given, in a few sentences and in its language. Keep names, numbers, decisions and open questions. Write nothing else."

// recall makes the session's chat part of the question. With memory: summary the messages
// that do not fit memory_tokens are put together by the model first, once: a Past that has
// the summary is taken as it is.
func (a *Asking) recall(ctx context.Context, in Input, past *Past) (chat []models.Message, err error) {
	said, past, err := in.said(ctx, past)
	if err != nil {
		return nil, err
	}
	if in.Memory == memorySummary {
		old := said[:len(said)-fitting(said, int(in.MemoryTokens))]
		said = said[len(old):]
		if len(old) > 0 && past.Summary == "" {
			if past.Summary, err = a.sumUp(ctx, old); err != nil {
				return nil, err
			}
			a.Summarised = true
		}
		if past.Summary != "" {
			chat = append(chat, models.Message{Role: models.RoleAssistant, Content: past.Summary})
		}
	}
	for _, m := range said {
		chat = append(chat, models.Message{Role: m.Role, Content: m.Content})
	}
	a.Past = past
	return chat, nil
}

// fitting is how many of the newest messages have at most so many tokens together, at four
// characters each.
func fitting(said []engine.Message, tokens int) (n int) {
	left := 4 * tokens
	for n < len(said) {
		left -= utf8.RuneCountInString(said[len(said)-1-n].Content)
		if left < 0 {
			break
		}
		n++
	}
	return n
}

// sumUp is a call of its own. The settings are not the step's: they are made for its answer.
func (a *Asking) sumUp(ctx context.Context, said []engine.Message) (string, error) {
	lines := make([]string, len(said))
	for i, m := range said {
		lines[i] = m.Role + ": " + m.Content
	}
	q := models.Request{Step: a.Request.Step, Key: a.Request.Key, Model: a.Request.Model, Extra: a.Request.Extra}
	if q.Key != "" {
		q.Key += "/summary"
	}
	q.Messages = []models.Message{{Role: models.RoleSystem, Content: summarise}, {Role: models.RoleUser, Content: strings.Join(lines, "\n")}}
	response, err := a.Ask(ctx, q)
	return strings.TrimSpace(response.Text), err
}
