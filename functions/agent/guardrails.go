package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// guardrails keep phrases out of answers.
type guardrails struct {
	Banned   []string `json:"banned_phrases"`
	Fallback string   `json:"fallback"`
}

func readGuardrails(given json.RawMessage) (g guardrails, err error) {
	if given == nil {
		return g, nil
	}
	if err := json.Unmarshal(given, &g); err != nil {
		return g, input.Bad("guardrails: want {banned_phrases: [texts], fallback: text}")
	}
	return g, nil
}

// composed reports whether a field has parts that are put together when the step runs
// ({"@literal": …}, {"@text": …}): before that its form says nothing.
func composed(given json.RawMessage) bool {
	return bytes.Contains(given, []byte(`"@literal"`)) || bytes.Contains(given, []byte(`"@text"`))
}

func (g guardrails) bans(text string) bool {
	low := strings.ToLower(text)
	for _, phrase := range g.Banned {
		if phrase = strings.ToLower(strings.TrimSpace(phrase)); phrase != "" && strings.Contains(low, phrase) {
			return true
		}
	}
	return false
}

// token returns where a round's text is shown as it comes. It is the person's only where it
// is what the agent will say as it stands: an object is said in its own form, and a mark drops
// the text before it.
func (r *round) token(ctx context.Context) func(string) {
	said := r.say && r.ask.Schema == nil && !bool(r.in.Marks)
	to := r.ask.Token(ctx, said)
	if !said || to == nil || len(r.guard.Banned) == 0 {
		return to
	}
	r.spoke = &release{guard: r.guard, to: engine.CallOf(ctx).Speak}
	return r.spoke.add
}

// A release shows guarded text sentence by sentence, each one once it was judged. Speech that
// was shown cannot be taken back, so judging the whole answer at its end comes too late, and
// showing nothing until then makes the person wait. After a banned phrase nothing more of the
// text is shown.
//
// The text is kept as runes: lower case may have another number of bytes, never of runes.
type release struct {
	guard   guardrails
	to      func(string)
	text    []rune
	low     []rune // text in lower case
	shown   int    // runes of text
	stopped bool
}

// add takes the next fragment of the text.
func (s *release) add(fragment string) {
	if s.stopped {
		return
	}
	judged := len(s.low)
	for _, c := range fragment {
		s.text, s.low = append(s.text, c), append(s.low, unicode.ToLower(c))
	}
	if s.stopped = s.guard.bans(string(s.low[max(0, judged-s.longest()):])); s.stopped {
		return
	}
	s.show(s.sentences(s.open()))
}

// rest shows what is left when the text has ended.
func (s *release) rest() {
	if s != nil && !s.stopped {
		s.show(len(s.text))
	}
}

// instead shows the text that replaces a banned one.
func (s *release) instead(text string) {
	if s != nil && text != "" {
		s.to(text)
	}
}

func (s *release) show(end int) {
	if end > s.shown {
		s.to(string(s.text[s.shown:end]))
		s.shown = end
	}
}

// longest is the number of runes of the longest banned phrase: one that ends in a new fragment
// begins no earlier than so many runes before it.
func (s *release) longest() (most int) {
	for _, phrase := range s.guard.Banned {
		most = max(most, utf8.RuneCountInString(phrase))
	}
	return most
}

// open returns where a banned phrase may have begun whose end is still to come, else the end
// of the text.
func (s *release) open() int {
	first := len(s.low)
	for _, phrase := range s.guard.Banned {
		p := []rune(strings.ToLower(strings.TrimSpace(phrase)))
		for n := min(len(p)-1, len(s.low)); n > len(s.low)-first; n-- {
			if string(s.low[len(s.low)-n:]) == string(p[:n]) {
				first = len(s.low) - n
				break
			}
		}
	}
	return first
}

// sentences returns the end of the last whole sentence before the rune at limit.
func (s *release) sentences(limit int) int {
	for end := limit; end > s.shown; end-- {
		last := s.text[end-1]
		if last == '\n' || strings.ContainsRune("。！？", last) || unicode.IsSpace(last) && end > 1 && strings.ContainsRune(".!?…", s.text[end-2]) {
			return end
		}
	}
	return s.shown
}
