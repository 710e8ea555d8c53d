package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// guardrails keep banned phrases out of answers.
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

// composed reports whether a field has parts that are assembled when the step runs
// ({"@literal": …}, {"@text": …}). Until then its value cannot be checked.
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

// token returns the function that receives a round's text as it is streamed. The text is shown
// to the person only if it is the agent's final text unchanged: structured output is shown in
// another form, and a question marker drops the text before it.
func (r *round) token(ctx context.Context) func(string) {
	said := r.say && r.ask.Schema == nil && !bool(r.in.Marks)
	to := r.ask.Token(ctx, said)
	if !said || to == nil || len(r.guard.Banned) == 0 {
		return to
	}
	r.spoke = &release{guard: r.guard, to: function.CallOf(ctx).Speak}
	return r.spoke.add
}

// A release streams guarded text sentence by sentence, each one after it was checked for
// banned phrases. Text that was shown cannot be withdrawn, so checking the whole answer at its
// end is too late, and showing nothing until the end makes the person wait. After a banned
// phrase no more of the text is shown.
//
// The text is kept as runes, because lower-casing can change the number of bytes but not of
// runes.
type release struct {
	guard   guardrails
	to      func(string)
	text    []rune
	low     []rune // text in lower case
	shown   int    // runes of text that were shown
	stopped bool
}

// add appends the next fragment of the text.
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

// rest shows the remaining text when the stream has ended.
func (s *release) rest() {
	if s != nil && !s.stopped {
		s.show(len(s.text))
	}
}

// instead shows the replacement for a text with a banned phrase.
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

// longest returns the number of runes of the longest banned phrase. A phrase that ends in a
// new fragment begins at most that many runes before the fragment.
func (s *release) longest() (most int) {
	for _, phrase := range s.guard.Banned {
		most = max(most, utf8.RuneCountInString(phrase))
	}
	return most
}

// open returns the position at which a banned phrase may have begun that is not complete yet,
// else the end of the text.
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
