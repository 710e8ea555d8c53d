package engine

// Sizes of pages, in rows.
const (
	defaultPage = 50
	maxPage     = 500
)

// maxID is the maximum length of a session id in bytes: ids are parts of index keys.
const maxID = 200
