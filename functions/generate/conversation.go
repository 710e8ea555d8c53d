package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// windowOfConversation is the number of messages that memory: window takes from a conversation
// when history gives none.
const windowOfConversation = 20

// A Conversation is a list of messages that the workflow stores as a value of the session,
// apart from the session's chat, so that steps can take part in several conversations. Each
// such step reads the value, calls the model with it, and appends to it.
type Conversation struct {
	name, role, as string
	question       string
	past           []models.Message // of earlier sessions; never written
	messages       []models.Message
	before         []models.Message
	kept           []json.RawMessage // messages in the form stored in the value
	opening        []models.Message  // messages added before the first reply
}

// readConversation reads the field of a step's input; it returns nil if there is none.
func (in Input) readConversation() (*Conversation, error) {
	if in.Conversation == nil {
		return nil, nil
	}
	var given struct {
		Name     input.Text      `json:"name"`
		Question input.Text      `json:"question"`
		Role     input.Text      `json:"role"`
		As       input.Text      `json:"as"`
		Past     json.RawMessage `json:"past"`
		Messages json.RawMessage `json:"messages"`
		Before   json.RawMessage `json:"before"`
	}
	if err := json.Unmarshal(in.Conversation, &given); err != nil {
		return nil, input.Bad("conversation: want {name, past, messages, before, question, role, as}, not %s", shortened(in.Conversation))
	}
	c := &Conversation{name: string(given.Name), role: string(given.Role), as: string(given.As), question: string(given.Question)}
	switch c.role {
	case "":
		c.role = models.RoleAssistant
	case models.RoleUser, models.RoleAssistant:
	default:
		return nil, input.Bad("conversation.role: want user or assistant, not %q", c.role)
	}
	var err error
	if _, c.past, err = readSaid("past", given.Past); err != nil {
		return nil, err
	}
	if c.kept, c.messages, err = readSaid("messages", given.Messages); err != nil {
		return nil, err
	}
	_, c.before, err = readSaid("before", given.Before)
	return c, err
}

// readSaid reads a list of messages, both in stored form and as a model reads it. Null and a
// blank text, which references without a value resolve to, are an empty list. Messages without
// text are skipped: they do not help a model, and some providers refuse them.
func readSaid(field string, list json.RawMessage) (kept []json.RawMessage, said []models.Message, err error) {
	if list = bytes.TrimSpace(list); len(list) == 0 || list[0] != '[' && strings.TrimSpace(input.TextOf(list)) == "" {
		return nil, nil, nil
	}
	if json.Unmarshal(list, &kept) != nil {
		return nil, nil, input.Bad("conversation.%s: want a list of {role, content, name}, not %s", field, shortened(list))
	}
	for i, one := range kept {
		var m struct {
			Role    string     `json:"role"`
			Content input.Text `json:"content"`
			Name    input.Text `json:"name"`
		}
		if err := json.Unmarshal(one, &m); err != nil {
			return nil, nil, input.Bad("conversation.%s[%d]: want {role, content, name}, not %s", field, i, shortened(one))
		}
		switch m.Role {
		case models.RoleUser, models.RoleAssistant, models.RoleSystem:
		default:
			return nil, nil, input.Bad("conversation.%s[%d]: role %q is not one of user, assistant and system", field, i, m.Role)
		}
		if m.Content != "" {
			said = append(said, models.Message{Role: m.Role, Content: string(m.Content), Name: string(m.Name)})
		}
	}
	return kept, said, nil
}

func shortened(text json.RawMessage) string {
	if r := []rune(string(text)); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return string(text)
}

// silent reports whether the conversation has no messages yet.
func (c *Conversation) silent() bool { return len(c.kept) == 0 }

// asked returns the question as a message, none when it is blank.
func (c *Conversation) asked() []models.Message {
	if strings.TrimSpace(c.question) == "" {
		return nil
	}
	return []models.Message{{Role: models.RoleUser, Content: c.question}}
}

// converse adds the conversation to the request and determines which messages will be stored.
func (a *Asking) converse(ctx context.Context, in Input, own frame, c *Conversation, past *Past) error {
	n, wanted, err := in.conversationMemory()
	if err != nil {
		return err
	}
	var opening, history []models.Message
	if c.silent() {
		c.opening = c.asked()
		if !in.aside {
			opening = c.opening
		}
		if users := own.users(); !wanted && !in.aside && len(users) > 0 {
			opening, c.opening = nil, users
		}
	} else {
		c.before = nil
	}
	if wanted {
		history = append(append(history, c.past...), c.messages...)
	}
	history = append(history, opening...)
	if wanted && n >= 0 && len(history) > n {
		history = history[len(history)-n:]
	}
	if in.Memory == memorySummary {
		whole := 0
		if last := len(history) - 1; own.user == nil && last >= 0 && history[last].Role == models.RoleUser {
			whole = 1 // this message is what the model answers
		}
		if past == nil {
			past = &Past{}
		}
		if history, err = a.condense(ctx, in, history, whole, past, lone); err != nil {
			return err
		}
		if in.MemoryTokens > 0 && past.Summary != "" {
			history[0] = own.summary(past.Summary)
		}
		a.Past = past
	}
	a.Conversation = c
	a.Request.Messages, err = own.around(c.before, history)
	return err
}

// conversationMemory returns how many messages of the conversation are sent: n, -1 for all.
func (in Input) conversationMemory() (n int, wanted bool, err error) {
	n, wanted, err = in.memory()
	switch {
	case err != nil:
	case in.Memory == "" && in.History == nil:
		return -1, true, nil
	case wanted && n == 0:
		n = windowOfConversation
	}
	return n, wanted, err
}

// Answered appends the question, if it is new, and this reply to the conversation, if there is
// one. It is called once, with the final answer. The change is written in the same checkpoint
// as the step's output.
func (a *Asking) Answered(ctx context.Context, reply string) {
	if c := a.Conversation; c != nil {
		c.keep(ctx, models.Message{Role: c.role, Content: reply, Name: c.as})
	}
}

// Heard appends the question alone to the conversation, if there is one, for functions whose
// answer is not part of the conversation.
func (a *Asking) Heard(ctx context.Context) {
	if c := a.Conversation; c != nil {
		c.keep(ctx)
	}
}

// keep appends to the value in the checkpoint of the step's output. The question is added only
// if the stored conversation is empty then, because parallel steps may have appended meanwhile.
func (c *Conversation) keep(ctx context.Context, replies ...models.Message) {
	if c.name != "" && len(c.opening)+len(replies) > 0 {
		function.CallOf(ctx).Append(c.name, encodeSaid(c.opening), encodeSaid(replies))
	}
}

func encodeSaid(messages []models.Message) []json.RawMessage {
	list := make([]json.RawMessage, len(messages))
	for i, m := range messages {
		list[i] = input.Encode(struct {
			Role    string `json:"role"`
			Content string `json:"content"`
			Name    string `json:"name,omitempty"`
		}{m.Role, m.Content, m.Name})
	}
	return list
}
