package api

import (
	"fmt"
	"strconv"
	"strings"
)

// Match is what edits take.
type Match struct {
	IfMatch string `header:"If-Match" doc:"the ETag of what was read; 412 when it is no longer so"`
}

// tag is the one ETag named, without quotes; "" when any will do.
func (m Match) tag() string {
	text := strings.TrimSpace(m.IfMatch)
	if text == "*" {
		return ""
	}
	return strings.Trim(strings.TrimPrefix(text, "W/"), `"`)
}

// version is the version named, for sessions. any is true for "*".
func (m Match) version() (n int64, any bool, err error) {
	switch strings.TrimSpace(m.IfMatch) {
	case "":
		return 0, false, problem("version_required", "send the ETag of the state you read as If-Match")
	case "*":
		return 0, true, nil
	}
	n, err = strconv.ParseInt(m.tag(), 10, 64)
	if err != nil {
		return 0, false, problem("version_mismatch", fmt.Sprintf("If-Match is %s, an ETag of a session is its version", m.IfMatch))
	}
	return n, false, nil
}

func quoteTag(tag string) string { return `"` + tag + `"` }

func versionTag(version int64) string { return quoteTag(strconv.FormatInt(version, 10)) }
