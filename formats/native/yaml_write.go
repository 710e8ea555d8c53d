package native

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/stepgraph/stepgraph/engine"
)

// WriteYAML gives a workflow as a YAML document: what Write gives, without what steps and paths
// repeat of the workflow.
func WriteYAML(w *engine.Workflow) ([]byte, error) {
	v, err := treeOf(plain(w))
	if err != nil {
		return nil, err
	}
	return dump(v.node())
}

// treeOf is the YAML document of a workflow as a tree.
func treeOf(w *engine.Workflow) (*value, error) {
	text, err := Write(w)
	if err != nil {
		return nil, err
	}
	root, err := (&file{name: w.ID, src: text}).parse()
	if err != nil {
		return nil, fmt.Errorf("write workflow %s: %w", w.ID, err)
	}
	for _, step := range root.get("steps").items {
		for i, v := range step.items {
			if text := compact(v.raw()); v.isObject && step.keys[i] != "extra" && (text != string(v.appendJSON(nil)) || !v.isPlain()) {
				step.items[i] = &value{scalar: text} // YAML would say the same in other letters
			}
		}
	}
	for _, path := range root.get("paths").items {
		if kind := path.get("kind"); kind != nil && kind.scalar == string(engine.Next) {
			path.remove("kind")
		}
	}
	return root, nil
}

// isPlain reports whether ReadYAML takes every number of a value.
func (v *value) isPlain() bool {
	if n, ok := v.scalar.(json.Number); ok {
		_, err := strconv.ParseFloat(n.String(), 64)
		return err == nil && len(n) <= mostDigits
	}
	return !slices.ContainsFunc(v.items, func(item *value) bool { return !item.isPlain() })
}

func dump(n *yaml.Node) ([]byte, error) {
	text, err := yaml.Dump(n, yaml.WithIndent(2), yaml.WithLineWidth(-1), yaml.WithCompactSeqIndent(false))
	if err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	return text, nil
}

// node is a value as people write it in YAML: in block style, without quotes where it needs none.
func (v *value) node() *yaml.Node {
	switch {
	case v.isObject:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if len(v.keys) == 0 {
			n.Style = yaml.FlowStyle
		}
		for i, key := range v.keys {
			n.Content = append(n.Content, textNode(key), v.items[i].node())
		}
		return n
	case v.isList:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if len(v.items) == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, item := range v.items {
			n.Content = append(n.Content, item.node())
		}
		return n
	}
	switch s := v.scalar.(type) {
	case string:
		return textNode(s)
	case json.Number:
		tag := "!!int"
		if strings.ContainsAny(s.String(), ".eE") {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: s.String()}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(s)}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}

// textNode is a text. What YAML could read as something else gets quotes; a text of several
// lines stands as a block, unless blanks at its edges or unusual characters would be lost in one.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case jsonNumber.MatchString(s):
		n.Style = yaml.DoubleQuotedStyle // also what is too large for the library to call a number
	case isBlock(s):
		n.Style = yaml.LiteralStyle
	case strings.ContainsFunc(s, isUnusual):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func isBlock(s string) bool {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	if !strings.Contains(s, "\n") || strings.HasPrefix(lines[0], " ") || lines[0] == "" || lines[len(lines)-1] == "" {
		return false
	}
	for _, line := range lines {
		if strings.HasSuffix(line, " ") || strings.ContainsFunc(line, isUnusual) {
			return false
		}
	}
	return true
}

// isUnusual reports whether a character may be lost or change outside of double quotes.
func isUnusual(r rune) bool {
	return !unicode.IsPrint(r) || r == '\u00a0' || r == '\ufeff'
}
