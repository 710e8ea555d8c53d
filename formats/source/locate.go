package source

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Locate returns line and column, from 1, of the value a JSON pointer names. Where the
// pointer leads nowhere it is the place of the last part that is there.
func Locate(src []byte, pointer string) (line, column int) {
	d := json.NewDecoder(bytes.NewReader(src))
	at := 0
	if pointer != "" {
		for _, part := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
			part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
			next, ok := enter(d, part)
			if !ok {
				break
			}
			at = next
		}
	}
	return position(src, skipBlanks(src, at))
}

// enter moves the decoder in front of the member or element of the value that comes next.
func enter(d *json.Decoder, part string) (at int, ok bool) {
	open, err := d.Token()
	if err != nil {
		return 0, false
	}
	switch open {
	case json.Delim('{'):
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return 0, false
			}
			if key == part {
				return int(d.InputOffset()), true
			}
			if skip(d) != nil {
				return 0, false
			}
		}
	case json.Delim('['):
		want, err := strconv.Atoi(part)
		if err != nil {
			return 0, false
		}
		for i := 0; d.More(); i++ {
			if i == want {
				return int(d.InputOffset()), true
			}
			if skip(d) != nil {
				return 0, false
			}
		}
	}
	return 0, false
}

func skip(d *json.Decoder) error {
	var whole json.RawMessage
	return d.Decode(&whole)
}

// skipBlanks steps over what stands before a value: blanks, a colon, a comma.
func skipBlanks(src []byte, at int) int {
	for at < len(src) && strings.IndexByte(" \t\r\n:,", src[at]) >= 0 {
		at++
	}
	return at
}

// position turns an offset into line and column, columns in characters.
func position(src []byte, at int) (line, column int) {
	before := src[:min(at, len(src))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte{'\n'}), 1 + utf8.RuneCount(before[start:])
}
