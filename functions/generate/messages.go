package generate

import (
	"encoding/json"
	"slices"

	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// Roles that a step's messages may have in addition to those of models.
const (
	roleDeveloper = "developer" // OpenAI's name for system
	roleHistory   = "history"   // marks where the session's chat is inserted
)

// A frame holds the messages that the step itself supplies: those before the chat, those after
// it, and the question, which comes last.
type frame struct {
	before, after []models.Message
	marked        bool // a message marks the position of the chat
	user          *models.Message
}

// frame reads the frame. The session's chat follows the system messages unless a message marks
// its position.
func (in Input) frame() (f frame, err error) {
	if in.System != "" {
		f.before = append(f.before, models.Message{Role: models.RoleSystem, Content: string(in.System)})
	}
	before, after, err := in.own()
	if err != nil {
		return f, err
	}
	f.marked = before != nil
	f.before, f.after = append(f.before, before...), after
	images, err := readImages(in.Images)
	if err != nil {
		return f, err
	}
	if in.User != "" || images != nil {
		f.user = &models.Message{Role: models.RoleUser, Content: string(in.User), Images: images}
	}
	return f, nil
}

// summary returns the message that replaces the older part of a conversation: a system
// message, or a user message if the step has system messages of its own, since some models
// accept only one.
func (f frame) summary(text string) models.Message {
	m := models.Message{Role: models.RoleSystem, Content: "Previous conversation summary: " + text}
	for _, own := range slices.Concat(f.before, f.after) {
		if own.Role == models.RoleSystem {
			m.Role = models.RoleUser
		}
	}
	return m
}

// with inserts the session's chat.
func (f frame) with(chat []models.Message) ([]models.Message, error) {
	return f.whole(f.before, chat, f.after)
}

// around inserts a conversation at its marked position, otherwise after the step's own
// messages. System messages are moved to the front, followed by the rest of before.
func (f frame) around(before, talk []models.Message) ([]models.Message, error) {
	systemBefore, ownBefore := apart(f.before)
	systemAfter, ownAfter := apart(f.after)
	system, rest := apart(before)
	systemTalk, talk := apart(talk)
	first := join(systemBefore, systemAfter, system, systemTalk, rest)
	if f.marked {
		return f.whole(first, ownBefore, talk, ownAfter)
	}
	return f.whole(first, ownBefore, ownAfter, talk)
}

// apart separates system messages from the others.
func apart(list []models.Message) (system, others []models.Message) {
	for _, m := range list {
		if m.Role == models.RoleSystem {
			system = append(system, m)
		} else {
			others = append(others, m)
		}
	}
	return system, others
}

func join(lists ...[]models.Message) (whole []models.Message) {
	for _, list := range lists {
		whole = append(whole, list...)
	}
	return whole
}

// whole returns all messages, with the question at the end.
func (f frame) whole(lists ...[]models.Message) ([]models.Message, error) {
	whole := join(lists...)
	if f.user != nil {
		whole = append(whole, *f.user)
	}
	if _, others := apart(whole); len(others) > 0 || len(f.after) > 0 {
		return whole, nil
	}
	return nil, input.Bad("user: there is nothing to ask the model: give it user or messages")
}

// users returns the step's own user messages without the question.
func (f frame) users() (list []models.Message) {
	for _, m := range join(f.before, f.after) {
		if m.Role == models.RoleUser {
			list = append(list, m)
		}
	}
	return list
}

// own returns the step's own messages before and after the chat.
func (in Input) own() (before, after []models.Message, err error) {
	if in.Messages == nil {
		return nil, nil, nil
	}
	var given []struct {
		Role    string          `json:"role"`
		Content input.Text      `json:"content"`
		Name    string          `json:"name"`
		Images  json.RawMessage `json:"images"`
	}
	if err := json.Unmarshal(in.Messages, &given); err != nil {
		return nil, nil, input.Bad("messages: want a list of {role, content}")
	}
	for i, m := range given {
		switch m.Role {
		case models.RoleSystem, models.RoleUser, models.RoleAssistant:
		case roleDeveloper:
			m.Role = models.RoleSystem
		case roleHistory:
			if before != nil {
				return nil, nil, input.Bad("messages[%d]: the history stands there twice", i)
			}
			before, after = append([]models.Message{}, after...), nil
			continue
		default:
			return nil, nil, input.Bad("messages[%d]: role %q is not one of system, developer, user, assistant and history", i, m.Role)
		}
		images, err := readImages(m.Images)
		if err != nil {
			return nil, nil, input.Bad("messages[%d].%v", i, err)
		}
		after = append(after, models.Message{Role: m.Role, Content: string(m.Content), Name: m.Name, Images: images})
	}
	return before, after, nil
}
