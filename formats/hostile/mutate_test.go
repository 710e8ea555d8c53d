package hostile

import (
	"bytes"
	"math/rand/v2"
	"strings"
)

// A breaker damages files, always in the same way for the same seed.
type breaker struct{ *rand.Rand }

func newBreaker(seed, file uint64) *breaker { return &breaker{rand.New(rand.NewPCG(seed, file))} }

func (b *breaker) some(one int) bool { return b.IntN(one) == 0 }

func pick[T any](b *breaker, list []T) T { return list[b.IntN(len(list))] }

// file is a damaged copy of a good one.
func (b *breaker) file(good []byte) []byte {
	t, err := parseTree(good)
	if err != nil {
		return b.bytes(b.words(good))
	}
	for range 1 + b.IntN(4)*b.IntN(2) {
		b.change(t)
	}
	return b.bytes(t.bytes())
}

// change damages one place of a tree. Most changes keep the type of a value, so that a file
// gets past the decoding.
func (b *breaker) change(t *tree) {
	all := t.all()
	at := pick(b, all)
	switch b.IntN(10) {
	case 0: // anything anywhere
		*at = *leaf(pick(b, nastyJSON))
	case 1: // something that stands elsewhere
		*at = *pick(b, all).clone()
	case 2:
		b.deepen(at)
	case 3:
		b.keys(at)
	case 4, 5:
		if at.kind == 0 {
			at = pick(b, all)
		}
		b.items(at)
	default:
		b.value(pick(b, leaves(all)))
	}
}

func leaves(all []*tree) []*tree {
	var out []*tree
	for _, t := range all {
		if t.kind == 0 {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// value replaces a value by a bad one of its type.
func (b *breaker) value(t *tree) {
	switch {
	case strings.HasPrefix(t.text, `"`) && b.some(8):
		t.text = t.text[:len(t.text)-1] + strings.TrimPrefix(jsonText(pick(b, nastyTexts)), `"`)
	case strings.HasPrefix(t.text, `"`):
		t.text = jsonText(pick(b, nastyTexts))
	case t.text == "true":
		t.text = "false"
	case t.text == "false":
		t.text = "true"
	default:
		t.text = pick(b, nastyJSON[:24])
	}
}

// deepen puts a value into many others, or an object into itself.
func (b *breaker) deepen(t *tree) {
	if b.some(2) && t.kind != 0 && len(t.items) > 0 {
		*pick(b, t.items) = *t.clone()
		return
	}
	open, end := "[", "]"
	if b.some(2) {
		open, end = `{"a":`, "}"
	}
	depth := pick(b, []int{1, 2, 50, 150, 250, 9000, 11000})
	*t = *leaf(strings.Repeat(open, depth) + string(t.bytes()) + strings.Repeat(end, depth))
}

// keys gives a member another name, or the name of another.
func (b *breaker) keys(t *tree) {
	if len(t.keys) == 0 {
		return
	}
	i := b.IntN(len(t.keys))
	switch b.IntN(4) {
	case 0:
		t.keys[i] = pick(b, t.keys)
	case 1:
		t.keys[i] = strings.ToUpper(t.keys[i])
	case 2:
		t.keys, t.items = append(t.keys, t.keys[i]), append(t.items, leaf(pick(b, nastyJSON)))
	default:
		t.keys[i] = jsonText(pick(b, nastyTexts))
	}
}

// items takes members or elements out, puts them in twice or turns them round.
func (b *breaker) items(t *tree) {
	if len(t.items) == 0 {
		return
	}
	i := b.IntN(len(t.items))
	switch b.IntN(4) {
	case 0:
		t.items = append(t.items[:i:i], t.items[i+1:]...)
		if t.kind == '{' {
			t.keys = append(t.keys[:i:i], t.keys[i+1:]...)
		}
	case 1:
		for range pick(b, []int{1, 1, 2, 20}) {
			t.items = append(t.items, t.items[i].clone())
			if t.kind == '{' {
				t.keys = append(t.keys, t.keys[i])
			}
		}
	case 2:
		k := b.IntN(len(t.items))
		t.items[i], t.items[k] = t.items[k], t.items[i]
	default:
		for i, k := 0, len(t.items)-1; i < k; i, k = i+1, k-1 {
			t.items[i], t.items[k] = t.items[k], t.items[i]
		}
	}
}

// bytes damages one file in six below the level of JSON.
func (b *breaker) bytes(src []byte) []byte {
	if !b.some(6) || len(src) == 0 {
		return src
	}
	at := b.IntN(len(src))
	switch b.IntN(7) {
	case 0:
		return src[:at]
	case 1:
		return src[at:]
	case 2:
		return insert(src, at, pick(b, []string{"\x00", "\xff", "\xc3", "\xed\xa0\x80", "\ufeff", "\u2028", "\\", `"`, "{", "]", ",", "\x1a", "\r"}))
	case 3:
		src = bytes.Clone(src)
		src[at] = byte(b.IntN(256))
		return src
	case 4:
		return append([]byte(pick(b, []string{"\ufeff", "\ufeff\ufeff", "\x00", " \n\n", "\xff\xfe", ")]}'\n", "[", "1"})), src...)
	case 5:
		return append(bytes.Clone(src), pick(b, []string{"{}", "x", "\x00", "]", src2(src), "\xff", ";", "\n// x"})...)
	}
	end := at + b.IntN(min(200, len(src)-at)+1)
	return insert(src, b.IntN(len(src)), string(src[at:end]))
}

func src2(src []byte) string { return string(src) }

func insert(src []byte, at int, text string) []byte {
	return append(append(bytes.Clone(src[:at]), text...), src[at:]...)
}

// words damages a text that is not valid JSON: its lines, its literals and its names.
func (b *breaker) words(src []byte) []byte {
	text := string(src)
	for range 1 + b.IntN(3) {
		switch b.IntN(4) {
		case 0:
			lines := strings.SplitAfter(text, "\n")
			i, k := b.IntN(len(lines)), b.IntN(len(lines))
			lines[i], lines[k] = lines[k], pick(b, []string{"", lines[i], lines[i] + lines[k]})
			text = strings.Join(lines, "")
		case 1:
			text = b.literal(text)
		case 2:
			text = strings.Replace(text, pick(b, cypherWords), pick(b, append(cypherWords, nastyTexts...)), 1+b.IntN(2))
		default:
			at := b.IntN(len(text) + 1)
			text = text[:at] + pick(b, cypherWords) + text[at:]
		}
	}
	return []byte(text)
}

// literal replaces what stands between two quotes.
func (b *breaker) literal(text string) string {
	quote := pick(b, []string{"'", `"`})
	parts := strings.Split(text, quote)
	if len(parts) < 3 {
		return text
	}
	bad := pick(b, nastyTexts)
	if b.some(2) {
		bad = strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`).Replace(bad)
	}
	parts[1+2*b.IntN((len(parts)-1)/2)] = bad
	return strings.Join(parts, quote)
}

// cypherWords are pieces of Cypher files and of queries that no workflow file may hold.
var cypherWords = []string{"CREATE", "MERGE", "MATCH", "SET", "DELETE", "WITH", "UNWIND", "RETURN", "STEP", "NEXT", "TOOL", "CONTAINS", "WORKFLOW", "SESSION", "id", "input", "function", "(", ")", "[", "]", "{", "}", "-", ">", "<", ":", ",", ";", "'", `"`, "`", "*", "=", "+=", "n", "1", "null", "true", "$p", "//", "/*", "*/", "\\",
	"CALL dbms.components()", "LOAD CSV FROM 'file:///etc/passwd' AS l", "CALL apoc.load.json('http://127.0.0.1:1')", "UNWIND range(1,1000000000) AS x", "FOREACH (x IN [1] | CREATE (:STEP))", "MATCH (a),(b),(c),(d),(e),(f) ", "DETACH DELETE n", "[x IN range(0,9) | x]", "CREATE CONSTRAINT x IF NOT EXISTS FOR (n:STEP) REQUIRE n.id IS UNIQUE;", "9223372036854775808", "1e999", "-9223372036854775808", "0x", "'\\uD800'", "'\\u0000'"}
