package functions

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/compare"
	"github.com/stepgraph/stepgraph/functions/internal/branch"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// SwitchInput is the input of switch.
type SwitchInput struct {
	Rules     json.RawMessage `json:"rules,omitempty" jsonschema:"a list of {type, left, operator, right, branch}; the first that is true counts"`
	Otherwise input.Text      `json:"otherwise,omitempty" jsonschema:"the branch when no rule is true; the number of rules when absent"`
}

// A SwitchRule compares two values.
type SwitchRule struct {
	Type     input.Text      `json:"type"`     // text (the default), number or boolean
	Left     json.RawMessage `json:"left"`     // any value
	Operator input.Text      `json:"operator"` // one of compare.Operators; equal by default
	Right    json.RawMessage `json:"right"`    // any value
	Branch   input.Text      `json:"branch"`   // the name of its branch; its index by default
}

// SwitchOutput is the output of switch. Paths test branches.
type SwitchOutput struct {
	Branch   string          `json:"branch" jsonschema:"the branch of the rule that is true, else otherwise"`
	Index    int             `json:"index" jsonschema:"its index from 0; the number of rules when none is true"`
	Matched  bool            `json:"matched" jsonschema:"whether a rule is true"`
	Branches map[string]bool `json:"branches" jsonschema:"each branch, by index and by name, with whether it is the one"`
	Names    map[string]bool `json:"names,omitempty" jsonschema:"the same by name alone, where a name is also the index of another branch"`
}

// Switch finds the first of several rules that holds. Later rules are not evaluated. It is
// pure.
func Switch(_ context.Context, fields input.Object) (json.RawMessage, error) {
	o, err := input.Bind[storedOptions](fields)
	if err != nil {
		return nil, err
	}
	return switchBy(fields, compare.Options{StripMarkup: bool(o.StripMarkup), LenientNumbers: bool(o.LenientNumbers), LenientPatterns: bool(o.LenientPatterns)})
}

// storedOptions are fields of steps that were compiled from a Condition node of Flowise before
// these became switch.flowise. Such steps are in databases and must not begin to compare otherwise.
type storedOptions struct {
	StripMarkup     input.Bool `json:"strip_markup"`
	LenientNumbers  input.Bool `json:"lenient_numbers"`
	LenientPatterns input.Bool `json:"lenient_patterns"`
}

func switchBy(fields input.Object, options compare.Options) (json.RawMessage, error) {
	in, err := input.Bind[SwitchInput](fields)
	if err != nil {
		return nil, err
	}
	rules, err := switchRules(in.Rules)
	if err != nil {
		return nil, err
	}
	options.Budget = compare.NewBudget()
	index := len(rules)
	for i, rule := range rules {
		holds, err := rule.compared().Holds(options)
		if err != nil {
			return nil, input.Bad("rules[%d]: %v", i, err)
		}
		if holds {
			index = i
			break
		}
	}
	return input.Encode(in.output(rules, index)), nil
}

func (in SwitchInput) output(rules []SwitchRule, index int) SwitchOutput {
	names := in.names(rules)
	out := SwitchOutput{Index: index, Matched: index < len(rules), Branch: names[index]}
	if out.Branch == "" {
		out.Branch = strconv.Itoa(index)
	}
	out.Branches, out.Names = branch.Map(names, index)
	return out
}

// names returns the names of the branches, which rules may share; "" for a rule without one.
func (in SwitchInput) names(rules []SwitchRule) []string {
	names := make([]string, 0, len(rules)+1)
	for _, rule := range rules {
		names = append(names, string(rule.Branch))
	}
	return append(names, string(in.Otherwise))
}

func (r SwitchRule) compared() compare.Rule {
	rule := compare.Rule{Type: compare.Type(r.Type), Left: r.Left, Operator: compare.Operator(r.Operator), Right: r.Right}
	if rule.Type == "" {
		rule.Type = compare.Text
	}
	if rule.Operator == "" {
		rule.Operator = compare.Equal
	}
	return rule
}

// switchRules reads the rules, given as a list or as its JSON text.
func switchRules(given json.RawMessage) ([]SwitchRule, error) {
	list, err := items("rules", given)
	if err != nil {
		return nil, err
	}
	rules := make([]SwitchRule, len(list))
	for i, text := range list {
		if rules[i], _, err = input.Decode[SwitchRule](text); err != nil {
			return nil, input.Bad("rules[%d]: %v", i, err)
		}
	}
	return rules, nil
}

// checkSwitch validates the types and operators of the rules; both sides may be references.
func checkSwitch(text json.RawMessage) []function.Problem {
	var problems []function.Problem
	bad := func(format string, args ...any) {
		problems = append(problems, function.Problem{Level: "error", Code: "bad_input", Message: fmt.Sprintf(format, args...)})
	}
	fields, err := input.Parse(text)
	if err != nil {
		return nil // the engine reports an input that is not an object
	}
	given := fields.Get("rules")
	if given == nil {
		bad("rules: are missing, so every session takes the last branch")
		return problems
	}
	if given[0] != '[' && refers(given) {
		return nil // known when the step runs
	}
	rules, err := switchRules(given)
	if err != nil {
		bad("%v", err)
	}
	for i, rule := range rules {
		if !refers(rule.Type) && !refers(rule.Operator) {
			if err := rule.compared().Check(); err != nil {
				bad("rules[%d]: %v", i, err)
			}
		}
	}
	in, _, err := input.Decode[SwitchInput](text)
	if err != nil {
		return problems // known when the step runs
	}
	if name := branch.Doubtful(in.names(rules)); name != "" {
		problems = append(problems, function.Problem{Level: "warning", Code: "doubtful_branch", Message: branch.Warning(name)})
	}
	return problems
}

// SwitchAs describes switch under another name, with other rules for the conversion of values.
func SwitchAs(name, description string, options compare.Options) function.Spec {
	spec := switchSpec()
	spec.Name, spec.Aliases, spec.Description, spec.Examples = name, nil, description, nil
	spec.Function = function.ObjectFunc(func(_ context.Context, fields input.Object) (json.RawMessage, error) {
		return switchBy(fields, options)
	})
	return spec
}

func switchSpec() function.Spec {
	return function.Spec{
		Name:        "switch",
		Aliases:     []string{"utils.switch"},
		Description: "Finds the first of several rules that is true, on which the conditions of paths can depend.",
		Check:       input.Check[SwitchInput](checkSwitch),
		Input:       input.Schema[SwitchInput](),
		Output:      input.Schema[SwitchOutput](),
		Examples: []function.Example{
			{Title: "By a number, else by a text", Input: json.RawMessage(`{"rules": [{"type": "number", "left": 12, "operator": "larger", "right": 100, "branch": "big"}, ` +
				`{"left": "Rush order", "operator": "starts_with", "right": "Rush", "branch": "fast"}], "otherwise": "normal"}`),
				Output: json.RawMessage(`{"branch":"fast","index":1,"matched":true,"branches":{"0":false,"1":true,"2":false,"big":false,"fast":true,"normal":false}}`)},
			{Title: "What the user said, with a path on @{SESSION_ID}.step.branches.0", Input: json.RawMessage(`{"rules": [{"left": "@{SESSION_ID}.ask.response", "operator": "matches", "right": "^(yes|ok)$"}]}`)},
		},
		Function: function.ObjectFunc(Switch),
	}
}
