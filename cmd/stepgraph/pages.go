package main

import (
	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/api"
)

// pageFlags say how much of a long list is read.
type pageFlags struct {
	limit  int
	all    bool
	cursor string
	noun   string
}

func (p *pageFlags) register(flags *pflag.FlagSet, noun string) {
	p.noun = noun
	flags.IntVar(&p.limit, "limit", 50, noun+" a page, at most 500")
	flags.BoolVar(&p.all, "all", false, "all pages")
	flags.StringVar(&p.cursor, "cursor", "", "start of the page: `next` of the previous page, in -o json")
}

// mostAPage is the largest page there is.
const mostAPage = 500

// size is how many a page has: with --all the most, as pages are then of no interest.
func (p *pageFlags) size() int {
	if p.all {
		return mostAPage
	}
	return p.limit
}

// readPages reads one page, or with --all this one and all that follow. A page that a search has
// left with room is filled from the ones after it.
func readPages[T any](p pageFlags, read func(cursor string, limit int) (*api.Page[T], error)) (*api.Page[T], error) {
	list, err := read(p.cursor, p.size())
	if err != nil {
		return nil, err
	}
	for list.Next != "" && (p.all || len(list.Items) < p.size()) {
		left := p.size()
		if !p.all {
			left -= len(list.Items)
		}
		page, err := read(list.Next, left)
		if err != nil {
			return nil, err
		}
		list.Items, list.Next = append(list.Items, page.Items...), page.Next
	}
	return list, nil
}

// more says how much a list has beyond what was shown; count is only asked for then.
func (a *app) more(next string, shown int, count func() (int64, error)) error {
	if next == "" {
		return nil
	}
	total, err := count()
	if err != nil {
		return err
	}
	a.printErr("%d of %d; --all lists all", shown, total)
	return nil
}
