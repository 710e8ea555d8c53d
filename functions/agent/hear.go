package agent

import (
	"context"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/models"
)

// hear puts the prompt into the chat in the first round, where an answer to a question has not
// brought it there already.
func (r *round) hear(ctx context.Context) error {
	prompt := string(r.in.Prompt)
	if !bool(r.in.Hear) || prompt == "" || len(r.past) > 0 {
		return nil
	}
	chat := engine.CallOf(ctx)
	newest, err := chat.Messages(ctx, 1)
	if err != nil {
		return err
	}
	if n := len(newest); n == 0 || newest[n-1].Role != models.RoleUser || newest[n-1].Content != prompt {
		chat.Hear(prompt)
	}
	return nil
}
