package graph

import "encoding/json"

// Settings are what a WORKFLOW node may set for all its sessions. Stored as JSON text in
// the property `settings`; unknown keys are kept.
type Settings struct {
	History       string                     // HistoryFull (default), HistoryErrors or HistoryNone
	MaxSteps      int                        // visits between two pauses; 0 means Options.MaxSteps
	MessageWindow int                        // messages kept in the state; 0 means 20
	StepsAtOnce   int                        // effects of one session at once; 0 means Options.StepsAtOnce, which also bounds it
	Limits                                   // when its sessions run
	Extra         map[string]json.RawMessage // keys we do not know
}

// Levels of history. MESSAGE nodes are written at every level.
const (
	HistoryFull   = "full"
	HistoryErrors = "errors"
	HistoryNone   = "none"
)

// IsZero reports whether no setting is set.
func (s Settings) IsZero() bool {
	return s.History == "" && s.MaxSteps == 0 && s.MessageWindow == 0 && s.StepsAtOnce == 0 && s.Limits.IsZero() && len(s.Extra) == 0
}

// MarshalJSON writes the settings with the keys we do not know.
func (s Settings) MarshalJSON() ([]byte, error) {
	m := make(map[string]any, len(s.Extra)+4)
	for k, v := range s.Extra {
		m[k] = v
	}
	if s.History != "" {
		m["history"] = s.History
	}
	if s.MaxSteps != 0 {
		m["max_steps"] = s.MaxSteps
	}
	if s.MessageWindow != 0 {
		m["message_window"] = s.MessageWindow
	}
	if s.StepsAtOnce != 0 {
		m["steps_at_once"] = s.StepsAtOnce
	}
	s.Limits.put(m)
	return json.Marshal(m)
}

// UnmarshalJSON reads settings; a known key of a wrong type is an error.
func (s *Settings) UnmarshalJSON(b []byte) error {
	var known struct {
		History       string `json:"history"`
		MaxSteps      int    `json:"max_steps"`
		MessageWindow int    `json:"message_window"`
		StepsAtOnce   int    `json:"steps_at_once"`
	}
	if err := json.Unmarshal(b, &known); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for _, k := range append(LimitNames(), "history", "max_steps", "message_window", "steps_at_once") {
		delete(all, k)
	}
	if err := s.readLimits(b); err != nil {
		return err
	}
	if err := s.Limits.Check(); err != nil {
		return err
	}
	if len(all) == 0 {
		all = nil
	}
	*s = Settings{History: known.History, MaxSteps: known.MaxSteps, MessageWindow: known.MessageWindow, StepsAtOnce: known.StepsAtOnce, Limits: s.Limits, Extra: all}
	return nil
}

// readLimits reads the limits among settings.
func (s *Settings) readLimits(b []byte) error {
	var known struct {
		Sessions int    `json:"max_sessions_at_once"`
		Rate     string `json:"rate"`
		Priority int    `json:"priority"`
		Key      string `json:"concurrency_key"`
	}
	if err := json.Unmarshal(b, &known); err != nil {
		return err
	}
	s.Limits = Limits{MaxSessionsAtOnce: known.Sessions, Rate: known.Rate, Priority: known.Priority, ConcurrencyKey: known.Key}
	return nil
}
