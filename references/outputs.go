package references

import "encoding/json"

// JSONOutputs are outputs as the state holds them under data.outputs: an object
// of lists by step, newest last. A step whose value is not a list has that value
// as its one output. Blank text has no outputs.
type JSONOutputs json.RawMessage

// Output implements [Outputs]. It scans the text on each call and decodes no output; the error
// is always nil.
func (o JSONOutputs) Output(step string, index int) (value json.RawMessage, ok bool, err error) {
	all := trim(o)
	if len(all) == 0 || all[0] != '{' {
		return nil, false, nil
	}
	kept := member(all, step)
	switch {
	case kept == nil:
		return nil, false, nil
	case kept[0] == '[':
		value, _ = item(kept, index)
		return value, value != nil, nil
	case index == 0 || index == newest:
		return kept, true, nil
	}
	return nil, false, nil
}
