package script

import (
	"regexp"

	"github.com/stepgraph/stepgraph/internal/regexcost"
	"github.com/stepgraph/stepgraph/models"
)

// A Pattern is a regular expression of a script. The operator writes it, and whoever chats
// writes the text that it is matched with.
type Pattern struct {
	*regexp.Regexp
	size int // of its program
}

func newPattern(text string) (*Pattern, error) {
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	size, err := regexcost.Of(text)
	return &Pattern{expression, max(size, 1)}, err
}

// mostWork bounds the patterns of one call: the bytes they are matched with times the size of
// their programs. It is a few seconds at most; all calls of a script wait for one another.
const mostWork = 100_000_000

// work is what is left of mostWork in one call.
type work struct{ left int }

// matches reports whether a pattern matches, unless there is no work left for it: before the
// match, because one alone can take longer than all that is left.
func (w *work) matches(p *Pattern, text string) bool {
	if w.left < 0 {
		return false
	}
	if w.left -= len(text) * p.size; w.left < 0 {
		return false
	}
	return p.MatchString(text)
}

// spent is the error of a call whose patterns take too long.
func (w *work) spent() error {
	if w.left >= 0 {
		return nil
	}
	return models.NewError(models.KindScripted, false, "the patterns of the model script take too long on these messages: write fewer, or smaller numbers of repetitions", nil)
}
