package engine

// Bounds of pages.
const (
	defaultPage = 50
	maxPage     = 500
)

// maxID bounds the ids of sessions: they are parts of index keys.
const maxID = 200
