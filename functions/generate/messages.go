package generate

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// Roles that steps may give beside those of models.
const (
	roleDeveloper = "developer" // what OpenAI calls system
	roleHistory   = "history"   // the place of the session's chat
)

// A conversation is what a step gives of one: what stands before the session's chat and
// what stands after it, user last.
type conversation struct{ before, after []models.Message }

// conversation reads it. The chat follows system unless the messages mark its place.
func (in Input) conversation() (conversation, error) {
	var c conversation
	if in.System != "" {
		c.before = append(c.before, models.Message{Role: models.RoleSystem, Content: string(in.System)})
	}
	before, after, err := in.own()
	if err != nil {
		return c, err
	}
	c.before, c.after = append(c.before, before...), after
	images, err := readImages(in.Images)
	if err != nil {
		return c, err
	}
	if in.User != "" || images != nil {
		c.after = append(c.after, models.Message{Role: models.RoleUser, Content: string(in.User), Images: images})
	}
	return c, nil
}

// with puts the chat into its place.
func (c conversation) with(chat []models.Message) ([]models.Message, error) {
	whole := append(append(append([]models.Message(nil), c.before...), chat...), c.after...)
	for _, m := range whole {
		if m.Role != models.RoleSystem {
			return whole, nil
		}
	}
	if len(c.after) > 0 {
		return whole, nil
	}
	return nil, input.Bad("user: there is nothing to ask the model: give it user or messages")
}

// own are the messages that the step gives, before and after the chat.
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
