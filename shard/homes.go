package shard

import (
	"context"
	"errors"
	"strings"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// homes are the databases, the rules that give a workflow its home, and where sessions are: what
// all parts of a Store share.
type homes struct {
	*running
	databases []*database // the default one first
	rules     []rule      // the first that matches counts
	known     *places
	all       bool // RequireAll
}

// A rule gives workflows a home.
type rule struct {
	workflow string // without the star
	prefix   bool
	home     *database
}

// home is the database of a workflow, by the rules.
func (s *homes) home(workflow string) *database {
	if workflow == "" {
		workflow = graph.DefaultWorkflow
	}
	for _, r := range s.rules {
		if r.workflow == workflow || r.prefix && strings.HasPrefix(workflow, r.workflow) {
			return r.home
		}
	}
	return s.main()
}

// main is the default database.
func (s *homes) main() *database { return s.databases[0] }

// enough returns the errors that Open and Migrate end with: those that will not pass, and when no
// database answers (with RequireAll: not all) also those that may.
func (s *homes) enough(answers []answer[struct{}]) error {
	var lasting, passing []error
	for _, a := range answers {
		switch {
		case a.err == nil:
		case unreachable(a.err):
			passing = append(passing, a.err)
		default:
			lasting = append(lasting, a.err)
		}
	}
	if len(lasting) > 0 {
		return errors.Join(lasting...)
	}
	if s.all || len(passing) == len(answers) {
		return errors.Join(passing...)
	}
	return nil
}

// answering are the databases that are not in trouble; all if none is well.
func (s *homes) answering() []*database {
	var well []*database
	for _, d := range s.databases {
		if d.outage() == nil {
			well = append(well, d)
		}
	}
	if len(well) == 0 {
		return s.databases
	}
	return well
}

// background calls f, within a short time, on all databases that are not in trouble, and returns
// the answers of those that gave one.
func background[T any](ctx context.Context, s *homes, f func(context.Context, store.Store) (T, error)) ([]answer[T], error) {
	return anyOrError(sideBySide(ctx, s.answering(), func(ctx context.Context, d *database) (T, error) { return brief(ctx, d, f) }))
}

// upTo calls f on one database after the other, with what is left of the limit, and returns the sum.
func upTo(ctx context.Context, s *homes, limit int, f func(st store.Store, limit int) (int, error)) (sum int, err error) {
	var failed []answer[int]
	for _, d := range s.databases {
		if sum >= limit {
			break
		}
		n, err := call(ctx, d, func(st store.Store) (int, error) { return f(st, limit-sum) })
		if sum += n; err != nil {
			failed = append(failed, answer[int]{d, n, err})
		}
	}
	return sum, faults(failed)
}
