package generate

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/models"
)

const summarise = "Sum up the conversation you are given, in a few sentences and in its language. Keep names, numbers, decisions and open questions. Write nothing else."

// recall adds the session's chat to the question. With memory: summary the model first
// summarises the messages that exceed memory_tokens, once: if past has the summary, it is
// used.
func (a *Asking) recall(ctx context.Context, in Input, past *Past) ([]models.Message, error) {
	said, past, err := in.said(ctx, past)
	if err != nil {
		return nil, err
	}
	chat := make([]models.Message, len(said))
	for i, m := range said {
		chat[i] = models.Message{Role: m.Role, Content: m.Content}
	}
	if in.Memory == memorySummary {
		if chat, err = a.condense(ctx, in, chat, 0, past, instructed); err != nil {
			return nil, err
		}
	}
	a.Past = past
	return chat, nil
}

// condense replaces the messages that exceed memory_tokens by a summary. whole is the number of
// newest messages that are kept in any case.
func (a *Asking) condense(ctx context.Context, in Input, said []models.Message, whole int, past *Past, wording func(talk string) []models.Message) ([]models.Message, error) {
	old := said[:len(said)-max(whole, fitting(said, int(in.MemoryTokens)))]
	said = said[len(old):]
	if len(old) > 0 && past.Summary == "" {
		var err error
		if past.Summary, err = a.sumUp(ctx, old, wording); err != nil {
			return nil, err
		}
		a.Summarised = true
	}
	if past.Summary == "" {
		return said, nil
	}
	return append([]models.Message{{Role: models.RoleAssistant, Content: past.Summary}}, said...), nil
}

// fitting returns how many of the newest messages have at most that many tokens together,
// estimated at four characters each.
func fitting(said []models.Message, tokens int) (n int) {
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

// instructed returns the request for the summary of a chat in which the model does not take
// part.
func instructed(talk string) []models.Message {
	return []models.Message{{Role: models.RoleSystem, Content: summarise}, {Role: models.RoleUser, Content: talk}}
}

// lone returns the request for the summary of a conversation as a single user message: the
// model's system messages belong to the step, and some servers do not support any.
func lone(talk string) []models.Message {
	return []models.Message{{Role: models.RoleUser, Content: summarise + "\n\n" + talk}}
}

// sumUp makes the model call for the summary. Of the step's settings it uses only those of
// sampling (temperature, top_p, extra); the others are meant for the answer.
func (a *Asking) sumUp(ctx context.Context, said []models.Message, wording func(talk string) []models.Message) (string, error) {
	lines := make([]string, len(said))
	for i, m := range said {
		lines[i] = m.Role + ": " + m.Content
	}
	q := models.Request{Step: a.Request.Step, Key: a.Request.Key, Model: a.Request.Model, Extra: a.Request.Extra,
		Temperature: a.Request.Temperature, TopP: a.Request.TopP}
	if q.Key != "" {
		q.Key += "/summary"
	}
	q.Messages = wording(strings.Join(lines, "\n"))
	response, err := a.Ask(ctx, q)
	return strings.TrimSpace(response.Text), err
}
