package graph

import "time"

// A StoredDefinition is the text of a step as it was when it ran, by hash.
type StoredDefinition struct {
	Hash      string    `json:"hash"`
	Workflow  string    `json:"workflow"`
	Step      string    `json:"step"`
	Text      string    `json:"text"` // JSON: properties and outgoing paths
	FirstSeen time.Time `json:"first_seen"`
}
