package script

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/stepgraph/stepgraph/models"
)

// modelName is the model in a response to a request that named none.
const modelName = "script"

// A Player is a models.Model that plays a File: it returns the replies in it.
type Player struct {
	file File

	mu      sync.Mutex
	used    map[string]int   // replies of each step that are used up
	usedAny int              // replies of any that are used up
	taken   map[string]Reply // replies that were used up, by the key of the call that took them
	serial  int              // numbers the tool calls of calls without a key
}

var _ models.Model = (*Player)(nil)

// New returns a Player at the beginning of file.
func New(file File) *Player {
	return &Player{file: file, used: map[string]int{}, taken: map[string]Reply{}}
}

// Echo returns a Player without a file: it answers every call with "echo: " and
// the last user message.
func Echo() *Player { return New(File{Echo: true}) }

// Provider returns the entry of a models.Catalog that plays the file at path, or
// echoes if path is empty.
func Provider(path string) models.Provider {
	return models.Provider{Open: func() (models.Model, error) {
		if path == "" {
			return Echo(), nil
		}
		file, err := Load(path)
		if err != nil {
			return nil, err
		}
		return New(file), nil
	}}
}

// Generate returns the reply for the call. A scripted error has kind scripted; if no reply is
// left, the error has kind script_exhausted. A call cancelled during its delay keeps its
// reply.
func (p *Player) Generate(ctx context.Context, req models.Request) (models.Response, error) {
	if ctx.Err() != nil {
		return models.Response{}, models.TransportError(ctx, modelName, ctx.Err())
	}
	reply, err := p.take(req)
	if err != nil {
		return models.Response{}, err
	}
	if err := speak(ctx, reply, req.Token); err != nil {
		return models.Response{}, err
	}
	if reply.Error != nil {
		p.forget(req.Key)
		return models.Response{}, models.NewError(models.KindScripted, reply.Error.Transient, reply.Error.Message, nil)
	}
	return p.response(req, reply), nil
}

// take finds the reply of a call and uses it up.
func (p *Player) take(req models.Request) (Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if reply, ok := p.taken[req.Key]; ok && req.Key != "" {
		return reply, nil
	}
	if replies := p.file.Steps[req.Step]; p.used[req.Step] < len(replies) {
		p.used[req.Step]++
		return p.remember(req.Key, replies[p.used[req.Step]-1]), nil
	}
	message := req.LastUser()
	work := work{left: mostWork}
	for _, match := range p.file.Match {
		if work.matches(match.Pattern, message) && match.fitsResult(&work, req) && match.fitsSaid(&work, req) && p.file.fits(req, match.Reply) {
			return match.Reply, nil
		}
	}
	if err := work.spent(); err != nil {
		return Reply{}, err
	}
	if p.usedAny < len(p.file.Any) {
		p.usedAny++
		return p.remember(req.Key, p.file.Any[p.usedAny-1]), nil
	}
	if p.file.Fitting {
		if reply, ok := sample(req); ok {
			return reply, nil
		}
	}
	if p.file.Echo {
		return Reply{Text: "echo: " + message}, nil
	}
	return Reply{}, p.exhausted(req.Step)
}

// fitsResult reports whether a call brings the result of a tool that the match wants, if it
// wants one.
func (m *Match) fitsResult(w *work, req models.Request) bool {
	return m.Result == nil || answersTools(req) && w.matches(m.Result, req.Messages[len(req.Messages)-1].Content)
}

// fitsSaid reports whether the model has said before what the match wants, if it wants that.
func (m *Match) fitsSaid(w *work, req models.Request) bool {
	return m.Said == nil || slices.ContainsFunc(req.Messages, func(said models.Message) bool {
		return said.Role == models.RoleAssistant && w.matches(m.Said, said.Content)
	})
}

// answersTools reports whether a call contains tool results. A match is never used up, so
// without this check it would call the tools again and again.
func answersTools(req models.Request) bool {
	last := len(req.Messages) - 1
	return last >= 0 && req.Messages[last].Role == models.RoleTool
}

// remember stores a reply for the key of the call that used it. Matches and the echo are not
// stored: they are never used up.
func (p *Player) remember(key string, reply Reply) Reply {
	if key != "" {
		p.taken[key] = reply
	}
	return reply
}

func (p *Player) forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, key)
}

func (p *Player) exhausted(step string) error {
	message := fmt.Sprintf("the model script has run out: step %q has used its %d replies", step, len(p.file.Steps[step]))
	if _, ok := p.file.Steps[step]; !ok {
		message = fmt.Sprintf("the model script has run out: it has no replies for step %q, only for %s", step, p.steps())
	}
	message += fmt.Sprintf(", no match fits and the %d replies of any are used; add one, or \"otherwise\": \"echo\"", len(p.file.Any))
	return models.NewError(models.KindScriptExhausted, false, message, nil)
}

func (p *Player) steps() string {
	if len(p.file.Steps) == 0 {
		return "none"
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(p.file.Steps)) {
		names = append(names, strconv.Quote(name))
	}
	return strings.Join(names, ", ")
}

func (p *Player) response(req models.Request, reply Reply) models.Response {
	resp := models.Response{
		Text:         reply.Text,
		Object:       slices.Clone(reply.Object),
		ToolCalls:    p.calls(req.Key, reply.ToolCalls),
		Model:        req.Model,
		FinishReason: models.FinishStop,
	}
	if resp.Object == nil && len(reply.ToolCalls) == 0 {
		resp.Object = models.Object(req.Schema, reply.Text)
	}
	if len(resp.ToolCalls) > 0 {
		resp.FinishReason = models.FinishToolCalls
	}
	if resp.Model == "" {
		resp.Model = modelName
	}
	resp.Usage = models.EstimateUsage(req, resp)
	return resp
}

// calls gives ids to the tool calls: the same for the same key, and different for different
// calls even if a match returns one reply many times.
func (p *Player) calls(key string, calls []Call) []models.ToolCall {
	if len(calls) == 0 {
		return nil
	}
	if key == "" {
		p.mu.Lock()
		p.serial++
		key = strconv.Itoa(p.serial)
		p.mu.Unlock()
	}
	var out []models.ToolCall
	for i, call := range calls {
		sum := sha256.Sum256([]byte(key + "/" + strconv.Itoa(i)))
		out = append(out, models.ToolCall{
			ID:        "call_" + hex.EncodeToString(sum[:8]),
			Name:      call.Name,
			Arguments: slices.Clone(call.Arguments),
		})
	}
	return out
}
