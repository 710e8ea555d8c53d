package retention

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Keep says how long sessions stay after they have ended: by workflow ("" for all others), then
// by status. What no rule names stays for ever.
type Keep map[string]map[string]time.Duration

// Forever keeps sessions that a more general rule would let go.
const Forever = time.Duration(-1)

// Ended are the statuses that rules may name. A session of another status may go on, however
// old it is: it is cancelled first.
var Ended = []string{store.StatusComplete, store.StatusError, store.StatusCancelled}

// every stands for all statuses of Ended.
const every = "ended"

// ParseKeep reads rules: STATUS=AGE, or WORKFLOW:STATUS=AGE for one workflow. STATUS is complete,
// error, cancelled, or ended for all three; AGE is 30d, 12h, 90m … or forever.
func ParseKeep(rules []string) (Keep, error) {
	k := Keep{}
	for _, rule := range rules {
		name, text, ok := strings.Cut(strings.TrimSpace(rule), "=")
		if !ok {
			return nil, fmt.Errorf("%q: want STATUS=AGE or WORKFLOW:STATUS=AGE, such as complete=30d", rule)
		}
		workflow, status := "", strings.TrimSpace(name)
		if i := strings.LastIndex(status, ":"); i >= 0 {
			workflow, status = status[:i], status[i+1:]
			if workflow == "" {
				return nil, fmt.Errorf("%q: the workflow before the colon is missing", rule)
			}
		}
		age, err := ParseAge(text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", rule, err)
		}
		statuses := []string{status}
		if status == every {
			statuses = Ended
		} else if !slices.Contains(Ended, status) {
			return nil, fmt.Errorf("%q: sessions with status %s are never removed; want one of %s, or %s for all three", rule, status, strings.Join(Ended, ", "), every)
		}
		if k[workflow] == nil {
			k[workflow] = map[string]time.Duration{}
		}
		for _, s := range statuses {
			if _, there := k[workflow][s]; there && status == every {
				continue // the rule of one status goes before, in whatever order they are given
			}
			k[workflow][s] = age
		}
	}
	return k, nil
}

// ParseAge reads an age: days as 30d, weeks as 4w, else a duration with a unit; forever.
func ParseAge(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if text == "forever" {
		return Forever, nil
	}
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		number, ok := strings.CutSuffix(text, unit)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || !(n >= 0 && n <= 36_500) {
			return 0, fmt.Errorf("%q is not an age: want a text such as 30d or 12h", text)
		}
		return time.Duration(n * float64(length)), nil
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil || text == "" {
		return 0, fmt.Errorf("%q is not an age: it needs a unit, as in 30d or 12h", text)
	}
	d, err := function.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not an age: want a text such as 30d or 12h", text)
	}
	return d, nil
}

// Age is how long sessions of a workflow that ended so are kept; false: for ever.
func (k Keep) Age(workflow, status string) (time.Duration, bool) {
	for _, w := range [...]string{workflow, ""} {
		if age, ok := k[w][status]; ok {
			return age, age != Forever
		}
	}
	return 0, false
}

// Shortest is the smallest age after which a session may be removed; false if sessions are never
// removed.
func (k Keep) Shortest() (shortest time.Duration, ok bool) {
	for _, of := range k {
		for _, age := range of {
			if age != Forever && (!ok || age < shortest) {
				shortest, ok = age, true
			}
		}
	}
	return shortest, ok
}

// Rules is the texts that ParseKeep reads, in order.
func (k Keep) Rules() []string {
	var rules []string
	for workflow, of := range k {
		if workflow != "" {
			workflow += ":"
		}
		for status, age := range of {
			text := "forever"
			if age != Forever {
				text = age.String()
			}
			rules = append(rules, workflow+status+"="+text)
		}
	}
	slices.Sort(rules)
	return rules
}
