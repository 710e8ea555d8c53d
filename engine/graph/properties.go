package graph

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// Properties returns the step as the properties of a STEP node, ready to be stored:
// only those that are set, numbers as int64 where they are whole. Workflow is included
// when it is set.
func (s *Step) Properties() map[string]any {
	p := cloneProperties(s.Extra, 10)
	p["id"] = s.ID
	for name, text := range map[string]string{
		"workflow": s.Workflow, "function": s.Function, "input": s.Input, "name": s.Name,
		"description": s.Description, "join": s.Join, "retry": s.Retry, "timeout": s.Timeout,
		"on_error": s.OnError, "output_schema": s.OutputSchema, "config": s.Config,
	} {
		if text != "" {
			p[name] = text
		}
	}
	for name, yes := range map[string]bool{"approval": s.Approval, "bypass": s.Bypass, "inactive": s.Inactive} {
		if yes {
			p[name] = true
		}
	}
	setNumber(p, "x", s.X)
	setNumber(p, "y", s.Y)
	return p
}

// StepFromProperties reads a STEP node. A property of a type we cannot use is kept in
// Extra and reported, so that one slip in Neo4j Browser never hides a step.
func StepFromProperties(p map[string]any) (Step, []function.Problem) {
	r := propertyReader{properties: p}
	s := Step{
		ID: r.text("id"), Workflow: r.text("workflow"), Function: r.text("function"), Input: r.text("input"),
		Name: r.text("name"), Description: r.text("description"), Join: strings.ToLower(r.text("join")), Retry: r.text("retry"),
		Timeout: r.text("timeout"), OnError: strings.ToLower(r.text("on_error")), Approval: r.yes("approval"),
		OutputSchema: r.text("output_schema"), X: r.number("x"), Y: r.number("y"),
		Bypass: r.yes("bypass"), Inactive: r.yes("inactive"), Config: r.text("config"),
	}
	s.Extra = r.rest()
	for i := range r.problems {
		r.problems[i].Step = s.ID
	}
	return s, r.problems
}

// Properties returns the path as the properties of its relationship. The id is among
// them only when it is a stored one.
func (p *Path) Properties() map[string]any {
	m := cloneProperties(p.Extra, 6)
	if p.Stored {
		m["id"] = p.ID
	}
	if p.Condition != nil {
		m["condition"] = p.Condition
	}
	for name, text := range map[string]string{
		"operator": p.Operator, "label": p.Label, "name": p.Name, "description": p.Description,
	} {
		if text != "" {
			m[name] = text
		}
	}
	if p.Back {
		m["back"] = true
	}
	if len(p.Group) == 1 {
		m["group"] = p.Group[0]
	} else if len(p.Group) > 1 {
		m["group"] = anyList(p.Group)
	}
	setNumber(m, "priority", p.Priority)
	return m
}

// PathFromProperties reads the properties of a relationship. The plural `conditions` is
// read where `condition` is absent, as old LUNA workflows have it.
func PathFromProperties(kind PathKind, source, target string, p map[string]any) (Path, []function.Problem) {
	r := propertyReader{properties: p}
	out := Path{
		Kind: kind, Source: source, Target: target,
		ID: r.text("id"), Operator: r.text("operator"), Label: r.text("label"), Name: r.text("name"),
		Description: r.text("description"), Priority: r.number("priority"), Back: r.yes("back"), Group: r.texts("group"),
	}
	out.Stored = out.ID != ""
	out.Condition = r.condition("condition")
	if out.Condition == nil {
		out.Condition = r.condition("conditions")
	}
	out.Extra = r.rest()
	for i := range r.problems {
		r.problems[i].Path = out.ID
		r.problems[i].Step = source
	}
	return out, r.problems
}

// propertyReader takes known properties out of a map and remembers what did not fit.
type propertyReader struct {
	properties map[string]any
	used       map[string]bool
	problems   []function.Problem
}

func (r *propertyReader) take(name string) (any, bool) {
	v, ok := r.properties[name]
	if !ok || v == nil {
		return nil, false
	}
	if r.used == nil {
		r.used = make(map[string]bool, len(r.properties))
	}
	r.used[name] = true
	return v, true
}

// misfit gives a property back to Extra and says why.
func (r *propertyReader) misfit(name, want string, v any) {
	delete(r.used, name)
	r.problems = append(r.problems, function.Problem{Level: "error", Code: "property_type",
		Message: fmt.Sprintf("property %s is %T, want %s: it is kept but not used", name, v, want)})
}

func (r *propertyReader) text(name string) string {
	v, ok := r.take(name)
	if !ok {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	}
	r.misfit(name, "text", v)
	return ""
}

// texts reads a text or a list of texts; blank ones do not count.
func (r *propertyReader) texts(name string) (list []string) {
	v, ok := r.take(name)
	if !ok {
		return nil
	}
	switch v := v.(type) {
	case string:
		list = []string{v}
	case []string:
		list = v
	case []any:
		for _, one := range v {
			text, ok := one.(string)
			if !ok {
				r.misfit(name, "a text or a list of texts", any(v))
				return nil
			}
			list = append(list, text)
		}
	default:
		r.misfit(name, "a text or a list of texts", v)
	}
	return slices.DeleteFunc(slices.Clone(list), jsontext.Blank)
}

func anyList(texts []string) []any {
	list := make([]any, len(texts))
	for i := range texts {
		list[i] = texts[i]
	}
	return list
}

func (r *propertyReader) yes(name string) bool {
	v, ok := r.take(name)
	if !ok {
		return false
	}
	switch v := v.(type) {
	case bool:
		return v
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true":
			return true
		case "false", "":
			return false
		}
	}
	r.misfit(name, "true or false", v)
	return false
}

func (r *propertyReader) number(name string) *float64 {
	v, ok := r.take(name)
	if !ok {
		return nil
	}
	var f float64
	var err error
	switch v := v.(type) {
	case int64:
		f = float64(v)
	case int:
		f = float64(v)
	case float64:
		f = v
	case json.Number:
		f, err = v.Float64()
	case string:
		f, err = strconv.ParseFloat(strings.TrimSpace(v), 64)
	default:
		err = strconv.ErrSyntax
	}
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		r.misfit(name, "a number", v)
		return nil
	}
	return &f
}

// condition keeps a text or a native list; anything else is a literal the condition
// language judges (true, 0), which closes or opens as any value does.
func (r *propertyReader) condition(name string) any {
	v, ok := r.take(name)
	if !ok {
		return nil
	}
	switch v := v.(type) {
	case string, []any:
		return v
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		return list
	case bool, int64, float64, json.Number:
		return []any{v}
	}
	r.misfit(name, "text or a list", v)
	return `{"unreadable": true}` // an unknown key: what cannot be read never opens a path
}

func (r *propertyReader) rest() map[string]any {
	var extra map[string]any
	for name, v := range r.properties {
		if r.used[name] || v == nil {
			continue
		}
		if extra == nil {
			extra = make(map[string]any)
		}
		extra[name] = v
	}
	return extra
}

func cloneProperties(extra map[string]any, room int) map[string]any {
	p := make(map[string]any, len(extra)+room)
	for k, v := range extra {
		p[k] = v
	}
	return p
}

func setNumber(p map[string]any, name string, f *float64) {
	if f == nil {
		return
	}
	if whole := int64(*f); float64(whole) == *f {
		p[name] = whole
		return
	}
	p[name] = *f
}
