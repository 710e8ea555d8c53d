package compare

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2"
)

// patience is how long one match may take: patterns of JavaScript can take for ever.
const patience = 250 * time.Millisecond

// A Budget is the time that the patterns of one step may take together, those that take marks
// out of texts included: each may take its patience, and nothing bounds how many there are. It
// serves one goroutine.
type Budget struct {
	left     time.Duration
	stripped map[string]string // the rules of a step often look at the same text
}

// NewBudget is what one step has.
func NewBudget() *Budget { return &Budget{left: together, stripped: map[string]string{}} }

// together is the time of all patterns of one step.
const together = time.Second

// spend runs what matches patterns, unless the time is used up.
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

// matches is matches within the budget.
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

// matches tells whether a regular expression, as JavaScript writes them and without flags,
// is found anywhere in the text.
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
		err = fmt.Errorf("right: matching the pattern takes longer than %v", patience)
	}
	if lenient {
		return false, nil
	}
	return false, err
}

// unescaped undoes what an editor of rich text does to a pattern.
var unescaped = strings.NewReplacer(`\\`, `\`, `\[`, `[`, `\]`, `]`, `\*`, `*`)

// patterns keeps what was compiled; a workflow uses few, and over and over.
var patterns = struct {
	sync.Mutex
	byText map[string]*regexp2.Regexp
}{byText: map[string]*regexp2.Regexp{}}

// maxKept bounds patterns, which is emptied when it is full.
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
	compiled.MatchTimeout = patience
	if len(patterns.byText) == maxKept {
		clear(patterns.byText)
	}
	patterns.byText[pattern] = compiled
	return compiled, nil
}
