package compare

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2"
)

// matchTimeout is the time limit of one match: backtracking patterns can run for ever.
const matchTimeout = 250 * time.Millisecond

// A Budget limits the total time of the patterns of one step, including those of Strip. Each
// match alone is limited by matchTimeout, but the number of matches is not limited. A Budget must
// be used by one goroutine only.
type Budget struct {
	left     time.Duration
	stripped map[string]string // results of Strip: the rules of a step often use the same text
}

// NewBudget returns the budget of one step.
func NewBudget() *Budget { return &Budget{left: together, stripped: map[string]string{}} }

// together is the time limit for all patterns of one step.
const together = time.Second

// spend runs match and subtracts its time, or fails when the time is used up.
func (b *Budget) spend(match func() error) error {
	if b == nil {
		return match()
	}
	if b.left <= 0 {
		return fmt.Errorf("right: matching the patterns of this step takes longer than %v together", together)
	}
	began := time.Now()
	err := match()
	b.left -= time.Since(began)
	return err
}

// matches is the function matches within the budget.
func (b *Budget) matches(text, pattern string, lenient bool) (found bool, err error) {
	err = b.spend(func() (err error) {
		found, err = matches(text, pattern, lenient)
		return err
	})
	return found, err
}

// strip is Strip within the budget.
func (b *Budget) strip(text string) (plain string, err error) {
	if b != nil {
		if known, ok := b.stripped[text]; ok {
			return known, nil
		}
	}
	err = b.spend(func() error {
		plain = Strip(text)
		return nil
	})
	if b != nil && err == nil {
		b.stripped[text] = plain
	}
	return plain, err
}

// maxPattern bounds the length of a pattern in bytes.
const maxPattern = 10_000

// matches reports whether a regular expression in JavaScript's syntax, without flags, matches
// anywhere in the text.
func matches(text, pattern string, lenient bool) (bool, error) {
	if lenient {
		pattern = unescaped.Replace(pattern)
	}
	compiled, err := compile(pattern)
	if err == nil {
		var found bool
		if found, err = compiled.MatchString(text); err == nil {
			return found, nil
		}
		err = fmt.Errorf("right: matching the pattern takes longer than %v", matchTimeout)
	}
	if lenient {
		return false, nil
	}
	return false, err
}

// unescaped undoes the escaping of a rich text editor in a pattern.
var unescaped = strings.NewReplacer(`\\`, `\`, `\[`, `[`, `\]`, `]`, `\*`, `*`)

// patterns caches compiled patterns; a workflow uses few, repeatedly.
var patterns = struct {
	sync.Mutex
	byText map[string]*regexp2.Regexp
}{byText: map[string]*regexp2.Regexp{}}

// maxKept limits the number of cached patterns; a full cache is emptied.
const maxKept = 256

func compile(pattern string) (*regexp2.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("right: the pattern has more than %d bytes", maxPattern)
	}
	patterns.Lock()
	defer patterns.Unlock()
	if compiled := patterns.byText[pattern]; compiled != nil {
		return compiled, nil
	}
	compiled, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if err != nil {
		return nil, fmt.Errorf("right: %q is not a pattern: %w", pattern, err)
	}
	compiled.MatchTimeout = matchTimeout
	if len(patterns.byText) == maxKept {
		clear(patterns.byText)
	}
	patterns.byText[pattern] = compiled
	return compiled, nil
}
