package cypherfile

// merge runs a MERGE: where its whole path is there it is matched, in every way it fits,
// else all of it that is not bound is made. Row by row, so that a row finds what the one
// before it made.
func (r *run) merge(c *mergeClause) error {
	var out []row
	for _, row := range r.rows {
		found, err := r.solve([]*path{c.path}, nil, row)
		if err != nil {
			return err
		}
		items := c.onMatch
		if len(found) == 0 {
			items = c.onCreate
			if err := r.createPath(c.path, row, true); err != nil {
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
