package web

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// minSecret is how long a value must be to be blotted out: shorter ones are no secrets, and
// blotting them out would tear holes into texts.
const minSecret = 4

// minFolded is how long a value must be to be looked for whatever its case and spacing:
// shorter ones stand in ordinary text by chance.
const minFolded = 8

// secrets are the values that went into a request, in the forms in which an answer may show
// them. Blotting them out is a courtesy against accidents: a server that wants to show a
// secret it was sent can always write it in a form that nobody looks for. What protects a
// secret is the hosts it may go to.
type secrets struct {
	forms  []string // old and new in turn, as strings.NewReplacer takes them
	folded []string // lower case, without blanks
}

func (s *secrets) add(value string) {
	if len(value) < minSecret {
		return
	}
	inner := func(quoted []byte) string { return string(quoted[1 : len(quoted)-1]) }
	escaped, _ := json.Marshal(value) // a text always has a JSON form
	plain := inner(input.Encode(value))
	raw := []byte(value)
	for _, form := range []string{value, plain, inner(escaped), strings.ReplaceAll(plain, "/", `\/`), url.QueryEscape(value), url.PathEscape(value),
		base64.StdEncoding.EncodeToString(raw), base64.URLEncoding.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
		hex.EncodeToString(raw)} {
		s.forms = append(s.forms, form, "***")
	}
	if text, _ := fold(value, false); len(text) >= minFolded {
		s.folded = append(s.folded, text)
	}
}

// blot returns text without the secrets.
func (s *secrets) blot(text string) string {
	if len(s.forms) == 0 {
		return text
	}
	text = strings.NewReplacer(s.forms...).Replace(text)
	plain, _ := fold(text, false)
	for _, secret := range s.folded {
		if strings.Contains(plain, secret) {
			text = blotFolded(text, secret)
			plain, _ = fold(text, false)
		}
	}
	return text
}

// blotFolded replaces a secret whatever its case and the blanks in it.
func blotFolded(text, secret string) string {
	plain, at := fold(text, true)
	var b strings.Builder
	from, done := 0, 0
	for {
		i := strings.Index(plain[from:], secret)
		if i < 0 {
			return b.String() + text[done:]
		}
		last := at[from+i+len(secret)-1]
		_, size := utf8.DecodeRuneInString(text[last:])
		b.WriteString(text[done:at[from+i]] + "***")
		from, done = from+i+len(secret), last+size
	}
}

// fold returns a text in lower case without blanks, and, when asked, where each of its bytes
// came from.
func fold(text string, places bool) (folded string, at []int) {
	var b strings.Builder
	b.Grow(len(text))
	for i, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		before := b.Len()
		b.WriteRune(unicode.ToLower(r))
		for ; places && before < b.Len(); before++ {
			at = append(at, i)
		}
	}
	return b.String(), at
}
