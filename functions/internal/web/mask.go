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

// minSecret is the minimal length in bytes of a value that is masked: masking shorter values
// would damage ordinary text.
const minSecret = 4

// minFolded is the minimal length in bytes of a value that is also masked in other case or
// spacing: shorter values occur in ordinary text by chance.
const minFolded = 8

// secrets are the secret values of a request in the forms in which a response may contain
// them. Masking them only prevents accidents: a server that wants to reveal a secret can
// encode it in a form that is not recognised. The real protection is the list of hosts to
// which a secret may be sent.
type secrets struct {
	forms  []string // alternately old and new, for strings.NewReplacer
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

// mask returns text with the secrets replaced by ***.
func (s *secrets) mask(text string) string {
	if len(s.forms) == 0 {
		return text
	}
	text = strings.NewReplacer(s.forms...).Replace(text)
	plain, _ := fold(text, false)
	for _, secret := range s.folded {
		if strings.Contains(plain, secret) {
			text = maskFolded(text, secret)
			plain, _ = fold(text, false)
		}
	}
	return text
}

// maskFolded masks a secret regardless of case and white space in it.
func maskFolded(text, secret string) string {
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

// fold returns a text in lower case without white space and, if places is set, the original
// position of each of its bytes.
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
