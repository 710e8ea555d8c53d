package shard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// schema is what each database is: its tables, its clock, its name.
type schema struct{ *homes }

// Migrate migrates each database, and those that do not answer now when they do.
func (s schema) Migrate(ctx context.Context) ([]string, error) {
	answers := sideBySide(ctx, s.databases, func(ctx context.Context, d *database) ([]string, error) {
		d.mu.Lock()
		d.migrates = true
		d.mu.Unlock()
		applied, err := call(ctx, d, func(st store.Store) ([]string, error) { return st.Migrate(ctx) })
		for i := range applied {
			applied[i] = d.name + ": " + applied[i]
		}
		return applied, d.named(err)
	})
	var applied []string
	only := make([]answer[struct{}], len(answers))
	for i, a := range answers {
		applied = append(applied, a.out...)
		only[i] = answer[struct{}]{of: a.of, err: a.err}
	}
	return applied, s.enough(only)
}

// Ping returns nil if a database answers: the others are in Databases.
func (s schema) Ping(ctx context.Context) error {
	_, err := anyOrError(ask(ctx, s.databases, func(st store.Store) (struct{}, error) { return struct{}{}, st.Ping(ctx) }))
	return err
}

// Now is the clock of the first database that answers.
func (s schema) Now(ctx context.Context) (now time.Time, err error) {
	for _, d := range s.answering() {
		if now, err = call(ctx, d, func(st store.Store) (time.Time, error) { return st.Now(ctx) }); err == nil {
			return now, nil
		}
	}
	return now, err
}

// Describe names all databases.
func (s schema) Describe() string {
	names := make([]string, len(s.databases))
	for i, d := range s.databases {
		names[i] = d.name + " " + d.describe()
	}
	return strings.Join(names, ", ")
}

// Check says what is wrong in each database, and which workflows are not in their home.
func (s schema) Check(ctx context.Context) ([]store.Finding, error) {
	answers := sideBySide(ctx, s.databases, func(ctx context.Context, d *database) ([]store.Finding, error) { return s.check(ctx, d) })
	var all []store.Finding
	for _, a := range answers {
		var schema *store.SchemaError
		switch {
		case errors.As(a.err, &schema):
			f := schema.Finding()
			f.Message = "database " + a.of.name + ": " + f.Message
			a.out = append(a.out, f)
		case a.err != nil:
			a.out = append(a.out, store.Finding{Level: "error", Code: "database", Message: a.of.named(a.err).Error(), Mend: "its sessions wait, and lists and counts fail until it answers"})
		}
		all = append(all, a.out...)
	}
	return all, nil
}

// clockApart is how far the clocks of two databases may be apart.
const clockApart = 2 * time.Second

func (s schema) check(ctx context.Context, d *database) (all []store.Finding, err error) {
	opened, err := d.current()
	if err != nil {
		return nil, err
	}
	if err := opened.Ping(ctx); err != nil { // a wrong schema too, which the reads below would show as a missing table
		return nil, err
	}
	now, err := opened.Now(ctx)
	if err != nil {
		return nil, err
	}
	if off := time.Until(now); off.Abs() > clockApart {
		all = append(all, store.Finding{Level: "warning", Code: "clock", Mend: "set the clocks of all databases by NTP",
			Message: fmt.Sprintf("database %s: its clock is %s off ours", d.name, off.Round(time.Millisecond))})
	}
	list, err := opened.WorkflowIDs(ctx)
	if err != nil {
		return all, err
	}
	all = append(all, store.Finding{Level: "ok", Code: "database", Message: fmt.Sprintf("database %s: %s answers", d.name, opened.Describe())})
	for _, w := range list {
		if home := s.home(w.ID); home != d && w.Steps > 0 {
			all = append(all, store.Finding{Level: "warning", Code: "home", Message: fmt.Sprintf("database %s: it has workflow %s, whose home is database %s; only what is there counts", d.name, w.ID, home.name),
				Mend: fmt.Sprintf("stepgraph export %s --store %s, load it if %s lacks it, and delete it there: stepgraph workflow delete %s --store %s", w.ID, d.name, home.name, w.ID, d.name)})
		}
	}
	checker, ok := opened.(store.Checker)
	if !ok {
		return all, nil
	}
	found, err := checker.Check(ctx)
	for i := range found {
		found[i].Message = "database " + d.name + ": " + found[i].Message
	}
	return slices.Concat(all, found), err
}
