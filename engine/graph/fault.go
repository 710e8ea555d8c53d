package graph

// A Fault is one invalid position in an answer, a body or a property.
type Fault struct {
	Pointer string `json:"pointer"` // RFC 6901, "" for the whole
	Message string `json:"message"`
}
