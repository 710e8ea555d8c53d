package function

import "fmt"

// A Problem is one fault of a workflow or a session, as people read it.
type Problem struct {
	Level   string `json:"level"` // "error" or "warning"
	Step    string `json:"step,omitempty"`
	Path    string `json:"path,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// String returns the problem as one line.
func (p Problem) String() string {
	switch {
	case p.Path != "":
		return fmt.Sprintf("path %s: %s (%s)", p.Path, p.Message, p.Code)
	case p.Step != "":
		return fmt.Sprintf("step %s: %s (%s)", p.Step, p.Message, p.Code)
	}
	return fmt.Sprintf("%s (%s)", p.Message, p.Code)
}
