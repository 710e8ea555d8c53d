package script

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/internal/sleep"
	"github.com/stepgraph/stepgraph/models"
)

// speak waits for the delay of a reply and passes its text to token, in fragments spread over
// the delay.
func speak(ctx context.Context, reply Reply, token func(string)) error {
	var parts []string
	if token != nil && reply.Error == nil {
		parts = fragments(reply.Text)
	}
	pause := reply.Delay / time.Duration(max(len(parts), 1))
	if len(parts) == 0 {
		return wait(ctx, pause)
	}
	for _, part := range parts {
		if err := wait(ctx, pause); err != nil {
			return err
		}
		token(part)
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	if sleep.For(ctx, d) != nil {
		return models.TransportError(ctx, modelName, ctx.Err())
	}
	return nil
}

// maxFragments is in how many pieces a text is streamed at most.
const maxFragments = 8

// fragments cuts a text before words. Put together they are the text.
func fragments(text string) []string {
	words := strings.SplitAfter(text, " ")
	size := (len(words) + maxFragments - 1) / maxFragments
	var parts []string
	for group := range slices.Chunk(words, size) {
		if part := strings.Join(group, ""); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
