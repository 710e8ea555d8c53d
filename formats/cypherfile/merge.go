package cypherfile

// merge runs a MERGE: where its whole path is there it is matched, in every way it fits,
// else all of it that is not bound is made. Row by row, so that a row finds what the one
// before it made.
func (r *run) merge(c *mergeClause) error {
	var out []row
	for _, row := range r.rows {
		if err := r.refuseNulls(c.path, row); err != nil {
			return err
		}
		found, err := r.solve([]*path{c.path}, nil, row)
		if err != nil {
			return err
		}
		items := c.onMatch
		if len(found) == 0 {
			items = c.onCreate
			if err := r.createPath(c.path, row); err != nil {
				return err
			}
			found = append(found, row)
		}
		for _, row := range found {
			if err := r.setItems(items, row); err != nil {
				return err
			}
		}
		out = append(out, found...)
	}
	r.rows = out
	return nil
}

// refuseNulls refuses what could never be found again: a MERGE with a null property.
func (r *run) refuseNulls(p *path, row row) error {
	for i, n := range p.nodes {
		if err := r.refuseNull(n.properties, row); err != nil {
			return err
		}
		if n.bound && !n.own && row[n.slot] == nil {
			return faultf(n.at, "%s is null here: MERGE needs a node at both ends", n.name)
		}
		if i < len(p.relations) {
			if err := r.refuseNull(p.relations[i].properties, row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) refuseNull(m *mapExpression, row row) error {
	if m == nil {
		return nil
	}
	for i, key := range m.keys {
		value, err := r.value(m.values[i], row)
		if err != nil {
			return err
		}
		if value == nil {
			return faultf(m.values[i].place(), "MERGE cannot use the property %s: its value is null", key)
		}
	}
	return nil
}
