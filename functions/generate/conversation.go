package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// windowOfConversation is how many messages memory window takes of a conversation when
// history gives no number.
const windowOfConversation = 20

// A Conversation is one that the workflow keeps as a value of the session, apart from the
// session's chat, so that steps can take part in several. Each step that takes part reads
// the value, asks, and adds to it.
type Conversation struct {
	name, role, as string
	question       string
	past           []models.Message // of earlier sessions, which is never written
	messages       []models.Message
	before         []models.Message
	kept           []json.RawMessage // messages as they stand in the value
	opening        []models.Message  // what is added in front of the first reply
}

// readConversation reads the field of a step's input; nil for none.
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

// readSaid reads a list of messages, as it stands and as a model reads it; null and a blank
// text, which references without a value leave, are none. Messages without a text are of no
// use to a model, and some providers refuse them.
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

// silent tells that nobody has spoken yet.
func (c *Conversation) silent() bool { return len(c.kept) == 0 }

// asked is the question as a message, none when it is blank.
func (c *Conversation) asked() []models.Message {
	if strings.TrimSpace(c.question) == "" {
		return nil
	}
	return []models.Message{{Role: models.RoleUser, Content: c.question}}
}

// converse makes the conversation part of the request, and settles what will be kept of it.
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
			whole = 1 // it is what the model answers
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

// conversationMemory is how many messages of the conversation go along: n, -1 for all.
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

// Answered keeps the conversation, if there is one, with the question, if it is new, and
// this reply to it. It is called once, with the final answer; what it adds is written with
// the step's output, or not at all.
func (a *Asking) Answered(ctx context.Context, reply string) {
	if c := a.Conversation; c != nil {
		c.keep(ctx, models.Message{Role: c.role, Content: reply, Name: c.as})
	}
}

// Heard keeps the conversation, if there is one, with the question alone, for functions
// whose answer is not a part of the talk.
func (a *Asking) Heard(ctx context.Context) {
	if c := a.Conversation; c != nil {
		c.keep(ctx)
	}
}

// keep adds to the value. Others may have spoken meanwhile, in branches beside this one: the
// question is added where nobody has when the answer is kept.
func (c *Conversation) keep(ctx context.Context, replies ...models.Message) {
	if c.name != "" && len(c.opening)+len(replies) > 0 {
		engine.CallOf(ctx).Append(c.name, encodeSaid(c.opening), encodeSaid(replies))
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
