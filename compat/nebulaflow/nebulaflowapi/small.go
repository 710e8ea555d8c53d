package nebulaflowapi

import (
	"context"
	"strings"
	"unicode/utf16"

	"github.com/stepgraph/stepgraph/compat/internal/wire"
)

// storageScope: there is one place for everything, the engine's store.
func (l *library) storageScope(ctx context.Context, _ command) error {
	l.send(ctx, message{Type: "storage_scope", Data: map[string]string{"scope": "user"}})
	return nil
}

func (l *library) getModels(ctx context.Context, _ command) error {
	type model struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	}
	models := []model{}
	if l.n.o.Models != nil {
		names, err := l.n.o.Models()
		if err != nil {
			return err
		}
		for _, name := range names {
			models = append(models, model{name, name})
		}
	}
	l.send(ctx, message{Type: "models_loaded", Data: models})
	return nil
}

// calculateTokens counts as NebulaFlow does: characters of JavaScript.
func (l *library) calculateTokens(ctx context.Context, m command) error {
	var in struct{ Text, NodeID *string }
	if err := m.decode(&in); err != nil {
		return err
	}
	if in.Text == nil || in.NodeID == nil {
		return wire.Refuse("want data.text and data.nodeId")
	}
	l.send(ctx, tokenCount(*in.NodeID, *in.Text))
	return nil
}

func tokenCount(node, text string) message {
	return message{Type: "token_count", Data: map[string]any{"nodeId": node, "count": len(utf16.Encode([]rune(text)))}}
}

func (l *library) copySelection(_ context.Context, m command) error {
	if _, err := m.payload(); err != nil {
		return err
	}
	l.clipboard = m.Data
	return nil
}

func (l *library) pasteSelection(ctx context.Context, _ command) error {
	out := message{Type: "clipboard_paste"}
	if l.clipboard != nil {
		out.Data = l.clipboard
	}
	l.send(ctx, out)
	return nil
}

// openLink lets the client open an address of the web; what it may open of files is the
// business of its own host.
func (l *library) openLink(ctx context.Context, m command) error {
	scheme, _, _ := strings.Cut(strings.ToLower(m.URL), ":")
	switch scheme {
	case "http", "https", "mailto", "tel":
		l.send(ctx, message{Type: "bridge:open_external", URL: m.URL})
		return nil
	}
	return wire.Refuse("only addresses that begin with http, https, mailto or tel can be opened")
}

// nothing answers messages about what is not kept here: caches of results, and the canvas.
func (l *library) nothing(context.Context, command) error { return nil }
