package cypherfile

import (
	"fmt"
	"strconv"
	"strings"
)

// with makes the new variables of a WITH and keeps the rows that its WHERE lets through.
func (r *run) with(c *withClause) error {
	var out []row
	seen := map[string]bool{}
	for _, row := range r.rows {
		r.graph.work += 1 + len(c.items)
		values := make([]any, len(c.items))
		for i := range c.items {
			var err error
			if values[i], err = r.value(c.items[i].value, row); err != nil {
				return err
			}
		}
		for i := range c.items {
			row[c.items[i].slot] = values[i]
		}
		if c.distinct && !c.all {
			key := distinctKey(values)
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		if c.where != nil {
			ok, err := r.holds(c.where, row)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
		}
		out = append(out, row)
	}
	r.rows = out
	return nil
}

// distinctKey is a text that is the same for rows that DISTINCT takes for one.
func distinctKey(values []any) string {
	var b strings.Builder
	for _, v := range values {
		switch v := v.(type) {
		case *node, *relation:
			fmt.Fprintf(&b, "%p", v)
		case string:
			b.WriteString(strconv.Quote(v))
		default:
			fmt.Fprintf(&b, "%T%v", v, v)
		}
		b.WriteByte(';')
	}
	return b.String()
}
