package engine

import "context"

// limits bound how many effects one engine has under way. Work above a limit waits; it
// is never refused.
type limits struct {
	all      chan struct{}
	function map[string]chan struct{}
}

func newLimits(o Options, r *Registry) *limits {
	l := &limits{all: make(chan struct{}, o.Effects), function: map[string]chan struct{}{}}
	for _, spec := range r.Specs() {
		n := spec.Limit
		if n == 0 {
			n = o.CallsAtOnce
		}
		l.function[spec.Name] = make(chan struct{}, n)
	}
	return l
}

// take waits for a place for one call of a function; the returned func gives it back.
func (l *limits) take(ctx context.Context, function string) (func(), error) {
	place := l.function[function]
	select {
	case place <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	select {
	case l.all <- struct{}{}:
	case <-ctx.Done():
		<-place
		return nil, context.Cause(ctx)
	}
	return func() { <-l.all; <-place }, nil
}
