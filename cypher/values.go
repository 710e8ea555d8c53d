package cypher

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"
)

// This file converts between the types of the driver and plain Go types.

// offsetUTC is UTC as the driver wants it for a time with an offset; plain time.UTC would
// be stored with the name of a zone.
var offsetUTC = time.FixedZone("Offset", 0)

// stamp is a time as a parameter; nil, which removes a property, for the zero time.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.In(offsetUTC)
}

// optional is a text as a parameter; nil, which removes a property, for the empty one.
func optional[T ~string | ~[]byte](text T) any {
	if len(text) == 0 {
		return nil
	}
	return string(text)
}

// milliseconds is a length of time as a parameter.
func milliseconds(d time.Duration) int64 { return d.Milliseconds() }

func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return fmt.Sprint(plainValue(v))
}

func asNumber(v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return 0
}

// asTime reads a DateTime, and what people and LUNA write in its place: a local time
// (taken as UTC), text as in RFC 3339, seconds or milliseconds since 1970.
func asTime(v any) time.Time {
	switch v := v.(type) {
	case time.Time:
		return v.UTC()
	case dbtype.LocalDateTime:
		t := v.Time()
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	case string:
		if t, err := time.Parse(time.RFC3339, v); err == nil {
			return t.UTC()
		}
	case int64:
		return epoch(float64(v))
	case float64:
		return epoch(v)
	}
	return time.Time{}
}

// epoch tells seconds from milliseconds by their size: seconds reach 1e11 in the year 5138.
func epoch(n float64) time.Time {
	if n <= 0 {
		return time.Time{}
	}
	if n < 1e11 {
		n *= 1000
	}
	return time.UnixMilli(int64(n)).UTC()
}

// plainValue turns a property into nil, bool, int64, float64, string or []any. Dates, times,
// durations and points become their text.
func plainValue(v any) any {
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return v
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = plainValue(v[i])
		}
		return list
	case []byte:
		return string(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case dbtype.LocalDateTime:
		return v.Time().Format("2006-01-02T15:04:05.999999999")
	case dbtype.Date:
		return v.Time().Format(time.DateOnly)
	case dbtype.LocalTime:
		return v.Time().Format("15:04:05.999999999")
	case dbtype.Time:
		return v.Time().Format("15:04:05.999999999Z07:00")
	case fmt.Stringer: // durations and points
		return v.String()
	}
	return fmt.Sprint(v)
}

// storable turns a value into what a property can hold: maps and lists of different kinds
// become JSON text.
func storable(v any) any {
	switch v := v.(type) {
	case nil, bool, int64, float64, string:
		return v
	case int:
		return int64(v)
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v.String()
	case []string:
		return v
	case []any:
		if list, ok := storableList(v); ok {
			return list
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// storableList is the list with each value storable, if all are of one kind.
func storableList(list []any) ([]any, bool) {
	out := make([]any, len(list))
	kind := ""
	for i, v := range list {
		out[i] = storable(v)
		switch v.(type) {
		case nil, []any, []string, map[string]any:
			return nil, false
		}
		k := fmt.Sprintf("%T", out[i])
		if kind != "" && k != kind {
			return nil, false
		}
		kind = k
	}
	return out, true
}

func storableProperties(p map[string]any) map[string]any {
	m := make(map[string]any, len(p))
	for name, v := range p {
		m[name] = storable(v)
	}
	return m
}
