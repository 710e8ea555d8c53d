package engine

import "github.com/stepgraph/stepgraph/engine/event"

// A Relay carries notices between the engines of one store, so that those who watch a session at
// one engine learn at once what another engine does with it. Nothing depends on it: a notice that
// is lost delays a watcher until it next reads the store. Package natsbus has one over NATS.
type Relay interface {
	// Send hands data to the other engines that listen to a topic, a text that is not empty. It does not wait; what
	// cannot be sent now is dropped.
	Send(topic string, data []byte)
	// Listen calls hear for what other engines send to the topic, and missed when notices may
	// have been lost, until stop is called. Neither may block, and stop does not wait for them.
	Listen(topic string, hear func(data []byte), missed func()) (stop func())
	// State describes the connection, for operators.
	State() RelayState
}

// A RelayState is the state of a Relay.
type RelayState struct {
	Kind      string `json:"kind"` // nats
	Address   string `json:"address"`
	Connected bool   `json:"connected"`
	Fault     string `json:"fault,omitempty"` // why it is not connected
	Sent      uint64 `json:"sent"`
	Received  uint64 `json:"received"`
	Dropped   uint64 `json:"dropped"` // notices that could not be sent, and times that some may have been missed
}

// A notice is what one engine tells the others about a session. It holds no inputs, outputs,
// messages, questions or errors: a watcher reads those from the store. The exception are tokens,
// which are in no store.
type notice struct {
	Version int64         `json:"version,omitempty"` // of the checkpoint that was written
	Events  []noticeEvent `json:"events,omitempty"`
	Rested  bool          `json:"rested,omitempty"` // the lease was given up
	Below   bool          `json:"below,omitempty"`  // a descendant session has come to rest
	Token   *TokenEvent   `json:"token,omitempty"`
	Cut     bool          `json:"cut,omitempty"` // too many events for one notice
}

// A noticeEvent is an event of a checkpoint. Only a step's event is whole.
type noticeEvent struct {
	Type EventType  `json:"type"`
	Step *StepEvent `json:"step,omitempty"`
	Seq  int64      `json:"seq"`
	N    int64      `json:"n"`
}

// Topics of a Relay: one for each session, and one that all engines listen to.
const (
	topicSession = "session." // and the session's id
	topicInbox   = "inbox"    // data: the id of a session with a new request; empty when work has become due
)

// noticeEvents is how many events one notice holds at most.
const noticeEvents = 500

// noticeOf describes a written checkpoint to other engines.
func noticeOf(version int64, events []event.Noted, rested bool) notice {
	n := notice{Version: version, Rested: rested}
	if len(events) > noticeEvents {
		n.Cut = true
		return n
	}
	for _, ev := range events {
		one := noticeEvent{Type: ev.Kind, Seq: ev.Seq, N: ev.N}
		if step, ok := ev.Data.(StepEvent); ok {
			if step.Retry != nil { // its message may quote what a call returned
				retry := *step.Retry
				retry.Message = ""
				step.Retry = &retry
			}
			one.Step = &step
		}
		n.Events = append(n.Events, one)
	}
	return n
}
