package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

// A Game is one session from its start to its end, or to the pause after the last answer.
type Game struct {
	Workflow *engine.Workflow   // stored before the session starts
	Also     []*engine.Workflow // further ones, for child sessions
	Registry *engine.Registry   // the functions its steps call
	Store    engine.Store       // a fresh one in memory by default; migrated before use

	Entry   string   // the step to start at; engine.DefaultEntry by default
	Inputs  any      // given at the start: anything that encodes to a JSON object
	Session string   // the session's id; a fresh one by default
	Answers []Answer // given in order, one at each pause

	Options engine.Options
	Timeout time.Duration // of the whole game; 10 s by default
}

// An Answer is what a person says at a pause.
type Answer struct {
	Step     string // "" means the question that waits longest
	Response any    // anything that encodes to JSON
}

// Say answers the question that waits longest.
func Say(response any) Answer { return Answer{Response: response} }

// SayTo answers the question of one step.
func SayTo(step string, response any) Answer { return Answer{Step: step, Response: response} }

// Play runs a game and returns its result. It fails the test when the session cannot start, an
// answer is refused, answers are left over, or the time is up; the message has the status of the
// session.
func Play(tb testing.TB, g Game) *Result {
	tb.Helper()
	ctx, cancel := g.context(tb)
	defer cancel()
	if g.Store == nil {
		g.Store = memory.New(memory.Options{})
	}
	if _, err := g.Store.Migrate(ctx); err != nil {
		tb.Fatalf("migrate %s: %v", g.Store.Describe(), err)
	}
	p := &player{tb: tb, game: g, engine: engine.New(g.Store, g.Registry, g.options(tb))}
	stop := run(ctx, p.tb, p.engine)
	defer stop()
	return p.play(ctx)
}

func (g *Game) context(tb testing.TB) (context.Context, context.CancelFunc) {
	limit := g.Timeout
	if limit == 0 {
		limit = 10 * time.Second
	}
	return context.WithTimeoutCause(tb.Context(), limit, fmt.Errorf("the game took longer than %s", limit))
}

// options sends the engine's log to the test's own output.
func (g *Game) options(tb testing.TB) engine.Options {
	o := g.Options
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(tb.Output(), nil))
	}
	return o
}

type player struct {
	tb     testing.TB
	game   Game
	engine *engine.Engine
	id     string
}

func (p *player) play(ctx context.Context) *Result {
	p.tb.Helper()
	session, err := p.start(ctx)
	if err != nil {
		p.tb.Fatalf("start: %v", err)
	}
	p.id = session.ID
	session = p.wait(ctx)
	for n, a := range p.game.Answers {
		if len(session.Awaiting) == 0 {
			p.tb.Fatalf("answer %d (%s): nothing is asked; %s", n+1, encode(a.Response), describe(session))
		}
		if _, err := p.engine.Answer(ctx, engine.AnswerRequest{Session: p.id, Step: a.Step, Response: encode(a.Response)}); err != nil {
			p.tb.Fatalf("answer %d (%s): %v; %s", n+1, encode(a.Response), err, describe(session))
		}
		session = p.wait(ctx)
	}
	result, err := p.result(ctx, session)
	if err != nil {
		p.tb.Fatalf("read session %s: %v", p.id, err)
	}
	return result
}

func (p *player) start(ctx context.Context) (*engine.Session, error) {
	g := &p.game
	if g.Workflow == nil || g.Registry == nil {
		return nil, errors.New("a game needs a Workflow and a Registry")
	}
	for _, w := range g.Also {
		if _, err := p.engine.PutWorkflow(ctx, w, ""); err != nil {
			p.tb.Fatalf("store workflow %s: %v", w.ID, err)
		}
	}
	if _, err := p.engine.PutWorkflow(ctx, g.Workflow, ""); err != nil {
		return nil, fmt.Errorf("store workflow %q: %w", g.Workflow.ID, err)
	}
	q := engine.StartRequest{Workflow: g.Workflow.ID, Entry: g.Entry, ID: g.Session}
	if g.Inputs != nil {
		q.Inputs = encode(g.Inputs)
	}
	return p.engine.Start(ctx, q)
}

// wait returns the session at its next pause or end.
func (p *player) wait(ctx context.Context) *engine.Session {
	p.tb.Helper()
	session, err := p.engine.Wait(ctx, p.id)
	if err == nil {
		return session
	}
	where := "and it cannot be read"
	if now, lookErr := p.engine.Session(context.WithoutCancel(ctx), p.id); lookErr == nil {
		where = describe(now)
	}
	p.tb.Fatalf("session %s does not come to rest: %v; %s", p.id, err, where)
	return nil
}

// describe says where a session stands, for a test that failed.
func describe(s *engine.Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the session is %s", s.Status)
	for _, q := range s.Awaiting {
		fmt.Fprintf(&b, "; step %q asks %q", q.Step, q.Prompt)
	}
	for _, problem := range s.Problems {
		fmt.Fprintf(&b, "; step %q: %s", problem.Step, problem.Message)
	}
	return b.String()
}

// encode is v as JSON; what does not encode is a fault of the test's own text.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("enginetest: %v does not encode to JSON: %v", v, err))
	}
	return b
}
