package agent

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/models"
)

// addPrompt adds the prompt to the chat in the first round, unless it is there already as the
// answer to a question.
func (r *round) addPrompt(ctx context.Context) error {
	prompt := string(r.in.Prompt)
	if !bool(r.in.Hear) || prompt == "" || len(r.past) > 0 {
		return nil
	}
	chat := function.CallOf(ctx)
	newest, err := chat.Messages(ctx, 1)
	if err != nil {
		return err
	}
	if n := len(newest); n == 0 || newest[n-1].Role != models.RoleUser || newest[n-1].Content != prompt {
		chat.Hear(prompt)
	}
	return nil
}
