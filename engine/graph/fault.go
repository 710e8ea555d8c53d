package graph

// A Fault is one place where an answer, a body or a property is wrong.
type Fault struct {
	Pointer string `json:"pointer"` // RFC 6901, "" for the whole
	Message string `json:"message"`
}
