package cypherfile

// setItems applies the items of SET or REMOVE to one row.
func (r *run) setItems(items []setItem, row row) error {
	for i := 0; i < len(items); {
		n := together(items[i:])
		values := make([]any, n)
		for k := range values {
			if e := items[i+k].value; e != nil {
				var err error
				if values[k], err = r.value(e, row); err != nil {
					return err
				}
			}
		}
		for k, value := range values {
			if err := r.setItem(&items[i+k], row, value); err != nil {
				return err
			}
		}
		i += n
	}
	return nil
}

// together counts the items that Neo4j evaluates before it sets any of them: properties
// of one variable that follow one another. SET a.x = 2, a.y = a.x reads the old x.
func together(items []setItem) int {
	n := 1
	for n < len(items) && items[0].key != "" && items[n].key != "" && items[n].target.slot == items[0].target.slot {
		n++
	}
	return n
}

func (r *run) setItem(item *setItem, row row, value any) error {
	target := row[item.target.slot]
	switch of := target.(type) {
	case nil:
		return nil // what an OPTIONAL MATCH did not find
	case *node, *relation:
	default:
		return faultf(item.at, "%s is %s: only nodes and relationships have properties to change", item.target.name, typeName(of))
	}
	if item.labels != nil {
		return r.setLabels(item, target)
	}
	if item.key == "" {
		return r.setAll(item, target, value)
	}
	stored, err := propertyValue(item.at, item.key, value)
	if err != nil {
		return err
	}
	r.graph.set(target, item.key, stored)
	return nil
}

// setLabels adds the labels, or removes them where the item belongs to a REMOVE.
func (r *run) setLabels(item *setItem, target any) error {
	n, ok := target.(*node)
	if !ok {
		return faultf(item.at, "%s is a relationship: only nodes have labels", item.target.name)
	}
	for _, label := range item.labels {
		if item.remove {
			r.graph.removeLabel(n, label)
		} else {
			r.graph.addLabel(n, label)
		}
	}
	return nil
}

// setAll is `n = map` or `n += map`, where the map may be another node.
func (r *run) setAll(item *setItem, target, value any) error {
	given, ok := propertiesOf(value)
	if !ok {
		return faultf(item.at, "%s can be set to a map, a node or a relationship, not to %s", item.target.name, typeName(value))
	}
	stored := make(map[string]any, len(given))
	for key, v := range given {
		var err error
		if stored[key], err = propertyValue(item.at, key, v); err != nil {
			return err
		}
	}
	if !item.add {
		old, _ := propertiesOf(target)
		for key := range old {
			if _, kept := stored[key]; !kept {
				r.graph.set(target, key, nil)
			}
		}
	}
	for key, v := range stored {
		r.graph.set(target, key, v)
	}
	return nil
}

// propertiesOf gives the properties of a node or a relationship, or the entries of a map.
func propertiesOf(v any) (map[string]any, bool) {
	switch v := v.(type) {
	case *node:
		return v.properties, true
	case *relation:
		return v.properties, true
	case map[string]any:
		return v, true
	}
	return nil, false
}
