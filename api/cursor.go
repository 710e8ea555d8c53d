package api

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// Paged is what lists take.
type Paged struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"items per page"`
	Cursor string `query:"cursor" doc:"next of the previous page"`
}

// A cursor is where a page begins, as text that clients hand back unread. Which field
// counts depends on the list; one of another list is refused.
type cursor struct {
	List string    `json:"l"`
	At   time.Time `json:"t,omitzero"`
	ID   string    `json:"i,omitempty"`
	N    int64     `json:"n,omitempty"`
}

func (c cursor) String() string {
	text, _ := json.Marshal(c) // times of the years 0 to 9999 and texts: cannot fail
	return base64.RawURLEncoding.EncodeToString(text)
}

func readCursor(list, text string) (cursor, error) {
	c := cursor{List: list}
	if text == "" {
		return c, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err != nil || c.List != list {
		return c, problem("bad_request", "", Fault{Parameter: "cursor", Message: "is not a cursor of this list; start without one"})
	}
	return c, nil
}

// rowCursor is the engine's cursor as text; nil at the end.
func rowCursor(list string, c *engine.Cursor) string {
	if c == nil {
		return ""
	}
	return cursor{List: list, At: c.At, ID: c.ID}.String()
}

// A Page is one page of a list; next is absent at the end.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty" doc:"the cursor of the next page; absent at the end"`
}

type pageOut[T any] struct{ Body Page[T] }

func pageOf[T any](items []T, next string) *pageOut[T] {
	if items == nil {
		items = []T{}
	}
	return &pageOut[T]{Page[T]{items, next}}
}

// A Found is a page of a list that is searched. It may have fewer items than were asked for, or
// none, although there is a next one.
type Found[T any] struct {
	Page[T]
	Looked int `json:"looked,omitempty" doc:"sessions read for this page, if the search had to read them one by one"`
}

type foundOut[T any] struct{ Body Found[T] }

func foundOf[T any](items []T, next string, looked int) *foundOut[T] {
	return &foundOut[T]{Found[T]{pageOf(items, next).Body, looked}}
}
