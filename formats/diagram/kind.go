package diagram

import "strings"

// A kind is what a step does for people, and thereby its shape.
type kind int

const (
	kindStep      kind = iota // anything else
	kindJunction              // no function: only paths
	kindQuestion              // asks a person
	kindReply                 // says something to the person
	kindDecision              // paths go by what it finds
	kindModel                 // asks a model
	kindContainer             // runs the steps it contains
	kindChild                 // runs sessions of another workflow
	kindWait                  // waits for a time or a signal
	kindOutside               // no step of this workflow
)

// kinds are the functions by the last part of their names, as aliases share it.
var kinds = map[string]kind{
	"request": kindQuestion, "confirm": kindQuestion, "select": kindQuestion,
	"reply":     kindReply,
	"condition": kindDecision, "switch": kindDecision, "switch.flowise": kindDecision, "classify": kindDecision, "classify.flowise": kindDecision,
	"generate": kindModel, "agent": kindModel, "agent.flowise": kindModel, "agent.callcentre": kindModel, "agent.agentzero": kindModel,
	"loop": kindContainer, "iterate": kindContainer, "iterate.flowise": kindContainer, "group": kindContainer,
	"map": kindChild, "subflow": kindChild, "subflow.flowise": kindChild,
	"wait": kindWait,
}

// kindOf is the kind of a function. Functions of one's own are steps like any other, though
// they may end on a word of ours.
func kindOf(function string) kind {
	if function == "" {
		return kindJunction
	}
	name, ours := strings.CutPrefix(function, "utils.")
	if ours {
		name = name[strings.LastIndexByte(name, '.')+1:]
	}
	return kinds[name]
}
