package generate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/talk"
	"github.com/stepgraph/stepgraph/models"
)

// messages is the conversation: system, the session's chat, the step's messages, user.
func (in Input) messages(ctx context.Context) ([]models.Message, error) {
	var list []models.Message
	if in.System != "" {
		list = append(list, models.Message{Role: models.RoleSystem, Content: string(in.System)})
	}
	chat, err := in.chat(ctx)
	if err != nil {
		return nil, err
	}
	own, err := in.own()
	if err != nil {
		return nil, err
	}
	list = append(append(list, chat...), own...)
	images, err := in.images()
	if err != nil {
		return nil, err
	}
	switch {
	case in.User != "" || images != nil:
		list = append(list, models.Message{Role: models.RoleUser, Content: string(in.User), Images: images})
	case len(chat)+len(own) == 0:
		return nil, input.Bad("user: there is nothing to ask the model: give it user or messages")
	}
	return list, nil
}

// own are the messages that the step gives.
func (in Input) own() ([]models.Message, error) {
	if in.Messages == nil {
		return nil, nil
	}
	var given []struct {
		Role    string     `json:"role"`
		Content input.Text `json:"content"`
	}
	if err := json.Unmarshal(in.Messages, &given); err != nil {
		return nil, input.Bad("messages: want a list of {role, content}")
	}
	list := make([]models.Message, len(given))
	for i, m := range given {
		switch m.Role {
		case models.RoleSystem, models.RoleUser, models.RoleAssistant:
		default:
			return nil, input.Bad("messages[%d]: role %q is not one of system, user and assistant", i, m.Role)
		}
		list[i] = models.Message{Role: m.Role, Content: string(m.Content)}
	}
	return list, nil
}

// chat is the part of the session's chat that goes along. Its newest message is left out
// when it is what user says: a person's answer stands in the chat and in the step's input.
func (in Input) chat(ctx context.Context) ([]models.Message, error) {
	n, wanted, err := in.history()
	if err != nil || !wanted {
		return nil, err
	}
	ask := n
	if n > 0 {
		ask = n + 1 // one may be left out
	}
	said, err := talk.Of(ctx).Messages(ctx, ask)
	if err != nil {
		return nil, err
	}
	if last := len(said) - 1; last >= 0 && same(said[last], string(in.User)) {
		said = said[:last]
	}
	if n > 0 && len(said) > n {
		said = said[len(said)-n:]
	}
	list := make([]models.Message, 0, len(said))
	for _, m := range said {
		if m.Content != "" && (m.Role == models.RoleUser || m.Role == models.RoleAssistant) {
			list = append(list, models.Message{Role: m.Role, Content: m.Content})
		}
	}
	return list, nil
}

func same(m engine.Message, user string) bool {
	return m.Role == models.RoleUser && strings.TrimSpace(m.Content) == strings.TrimSpace(user)
}

// history is how many messages of the chat go along: n, -1 for all, 0 for the window that
// the state keeps.
func (in Input) history() (n int, wanted bool, err error) {
	text := strings.ToLower(strings.TrimSpace(input.TextOf(in.History)))
	switch text {
	case "":
		return 0, bool(in.IncludeHistory), nil
	case "true":
		return 0, true, nil
	case "false", "0":
		return 0, false, nil
	case "all":
		return -1, true, nil
	}
	var count input.Int
	if err := count.UnmarshalJSON(in.History); err != nil || count < 0 {
		return 0, false, input.Bad("history: want a number of messages or all, not %s", in.History)
	}
	return int(count), true, nil
}

// images are shown with user.
func (in Input) images() ([]models.Image, error) {
	if in.Images == nil {
		return nil, nil
	}
	list := []json.RawMessage{in.Images}
	if in.Images[0] == '[' {
		if err := json.Unmarshal(in.Images, &list); err != nil {
			return nil, input.Bad("images: %v", err)
		}
	}
	var images []models.Image
	for i, given := range list {
		image := models.Image{URL: input.TextOf(given)}
		if given[0] == '{' {
			image = models.Image{}
			if err := json.Unmarshal(given, &image); err != nil {
				return nil, input.Bad("images[%d]: want {url} or {data, media_type} with data in base64", i)
			}
		}
		image, err := located(image)
		if err != nil {
			return nil, input.Bad("images[%d]: %v", i, err)
		}
		images = append(images, image)
	}
	return images, nil
}

// located checks where an image is, and takes its bytes out of a data: address.
func located(image models.Image) (models.Image, error) {
	rest, data := strings.CutPrefix(image.URL, "data:")
	switch {
	case len(image.Data) > 0:
		return image, nil
	case data:
		kind, text, found := strings.Cut(rest, ";base64,")
		bytes, err := base64.StdEncoding.DecodeString(text)
		if !found || err != nil {
			return image, input.Bad("the data: address is not in base64")
		}
		return models.Image{MediaType: kind, Data: bytes, Detail: image.Detail}, nil
	case strings.HasPrefix(image.URL, "https://"), strings.HasPrefix(image.URL, "http://"):
		return image, nil
	}
	return image, input.Bad("want an http, https or data: address")
}
