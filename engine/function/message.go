package function

// A Message is one line of a session's chat, also a MESSAGE node.
type Message struct {
	Role    string `json:"role"` // user, assistant
	Content string `json:"content"`
	Step    string `json:"step,omitempty"`
	At      int64  `json:"at"` // ms
	ID      string `json:"id"` // session/n
	N       int64  `json:"-"`  // 1, 2, … within the session
}

// EventData marks Message as what an event may say, see engine.Event.
func (Message) EventData() {}
