package native

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/stepgraph/stepgraph/engine"
)

// UpdateYAML gives old, a document in YAML, the content of w and keeps what did not change as
// it stands there, with its comments. Steps and paths are recognised by their ids; name is
// what the document is called if it has no id. Where nothing changed the result is old, to
// the byte.
//
// Comments belong to the values of YAML's own tree, so that tree is changed value by value.
// Where old has an alias a change may reach further than it should; the result is read again,
// and if it does not say what w says the document is written anew, without comments.
func UpdateYAML(w *engine.Workflow, name string, old []byte) ([]byte, error) {
	root, document, err := (&file{name: name, src: old}).parseYAML()
	if err != nil {
		return nil, err
	}
	was, at, err := readWorkflow(root)
	if err != nil {
		return nil, err
	}
	now := plain(w)
	if was.ID == "" && name == w.ID {
		now.ID = ""
	}
	was = plain(was)
	have, err := treeOf(was)
	if err != nil {
		return nil, err
	}
	want, err := treeOf(now)
	if err != nil {
		return nil, err
	}
	if have.equals(want) {
		return old, nil
	}
	top := document.Content[0]
	updateObject(top, have, want, "steps", "paths")
	updateList(top, "steps", listItems{have, stepIDs(was)}, listItems{want, stepIDs(now)}, at.steps)
	updateList(top, "paths", listItems{have, pathIDs(was)}, listItems{want, pathIDs(now)}, at.paths)
	text, err := dump(document)
	if err != nil || !says(text, want) {
		return dump(want.node())
	}
	return text, nil
}

// says reports whether a document reads as the one a tree was made for.
func says(text []byte, want *value) bool {
	root, _, err := (&file{src: text}).parseYAML()
	if err != nil {
		return false
	}
	w, _, err := readWorkflow(root)
	if err != nil {
		return false
	}
	got, err := treeOf(plain(w))
	return err == nil && got.equals(want)
}

// plain is a workflow without what its steps and paths repeat of it.
func plain(w *engine.Workflow) *engine.Workflow {
	p := *w
	p.Steps, p.Paths = slices.Clone(w.Steps), slices.Clone(w.Paths)
	for i := range p.Steps {
		if p.Steps[i].Workflow == w.ID {
			p.Steps[i].Workflow = ""
		}
	}
	for i := range p.Paths {
		if p.Paths[i].TargetWorkflow == w.ID {
			p.Paths[i].TargetWorkflow = ""
		}
	}
	p.Normalize()
	return &p
}

func stepIDs(w *engine.Workflow) (ids []string) {
	for i := range w.Steps {
		ids = append(ids, w.Steps[i].ID)
	}
	return ids
}

func pathIDs(w *engine.Workflow) (ids []string) {
	for i := range w.Paths {
		ids = append(ids, w.Paths[i].ID)
	}
	return ids
}

func (v *value) equals(other *value) bool {
	return v != nil && other != nil && bytes.Equal(v.appendJSON(nil), other.appendJSON(nil))
}

// updateObject changes the entries of a mapping that differ between have and want, but for
// those of the keys except.
func updateObject(n *yaml.Node, have, want *value, except ...string) {
	for i, key := range want.keys {
		if slices.Contains(except, key) {
			continue
		}
		was, item := have.get(key), want.items[i]
		at := entry(n, key)
		switch {
		case was.equals(item):
		case at < 0:
			n.Content = append(n.Content, textNode(key), item.node())
		case was != nil && was.isObject && item.isObject && n.Content[at+1].Kind == yaml.MappingNode:
			updateObject(n.Content[at+1], was, item)
		default:
			n.Content[at+1] = withComments(item.node(), n.Content[at+1])
		}
	}
	for _, key := range have.keys {
		if at := entry(n, key); at >= 0 && want.get(key) == nil {
			n.Content = slices.Delete(n.Content, at, at+2)
		}
	}
}

// entry is the index of a key in a mapping, -1 for nowhere.
func entry(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

func withComments(n, from *yaml.Node) *yaml.Node {
	n.HeadComment, n.LineComment, n.FootComment = from.HeadComment, from.LineComment, from.FootComment
	return n
}

// listItems are the items of a document's list with their ids, in the same order.
type listItems struct {
	document *value
	ids      []string
}

func (l listItems) byID(key string) map[string]*value {
	all := make(map[string]*value, len(l.ids))
	for i, item := range l.document.get(key).items {
		all[l.ids[i]] = item
	}
	return all
}

// updateList changes the items that are in both lists, takes out those that are gone, and adds
// the new ones at the end. at are the items of the old document, in its own order.
func updateList(top *yaml.Node, key string, have, want listItems, at map[string]*value) {
	i := entry(top, key)
	if i < 0 {
		top.Content = append(top.Content, textNode(key), want.document.get(key).node())
		return
	}
	list := top.Content[i+1]
	if list.Kind != yaml.SequenceNode {
		top.Content[i+1] = withComments(want.document.get(key).node(), list)
		return
	}
	ids := make([]string, len(list.Content))
	for id, v := range at {
		ids[itemIndex(v)] = id
	}
	was, now := have.byID(key), want.byID(key)
	var kept []*yaml.Node
	for i, item := range list.Content {
		id := ids[i]
		switch {
		case now[id] == nil:
			continue
		case item.Kind == yaml.MappingNode:
			updateObject(item, was[id], now[id])
		case !was[id].equals(now[id]):
			item = withComments(now[id].node(), item)
		}
		kept = append(kept, item)
	}
	for _, id := range want.ids {
		if was[id] == nil {
			kept = append(kept, now[id].node())
		}
	}
	list.Content = kept
	if len(kept) > 0 {
		list.Style &^= yaml.FlowStyle
	}
}

// itemIndex returns the index of an item in its list.
func itemIndex(v *value) int {
	n, _ := strconv.Atoi(v.pointer[strings.LastIndexByte(v.pointer, '/')+1:])
	return n
}
