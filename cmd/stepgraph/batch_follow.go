package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

// followFlags say how a batch is followed.
type followFlags struct {
	detach bool
	failed bool
}

func (f *followFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.detach, "detach", false, "print the batch and return without waiting")
	flags.BoolVar(&f.failed, "failed", false, "only results that failed")
}

// How often progress is read, and printed where stderr is not a terminal.
const (
	progressEvery = 250 * time.Millisecond
	reportEvery   = 3 * time.Second
)

// followBatch tells a batch's progress on stderr and writes its results to stdout as they
// come, until it is complete or stopped.
func (cmd *batchCommands) followBatch(ctx context.Context, s *client.Client, b *api.Batch, f *followFlags) error {
	if f.detach {
		return cmd.printBatch(b)
	}
	cmd.printErr("batch %s: %d items", b.ID, b.Total)
	to := cmd.data()
	if isTerminal(cmd.out) && !f.failed && !b.DryRun {
		to = io.Discard // thousands of lines would drown the bar
	}
	copied := make(chan error, 1)
	go func() { copied <- cmd.copyResults(ctx, s, to, b.ID, f.failed, true) }()
	id := b.ID
	p := &progress{to: cmd.err, bar: isTerminal(cmd.err), began: time.Now()}
	b, err := p.follow(ctx, s, b, copied)
	p.end()
	if err == nil {
		err = s.Settle(ctx, b)
	}
	if err != nil {
		cmd.printErr("batch %s continues on the engine: stepgraph batch follow %s, stepgraph batch stop %s", id, id, id)
		return err
	}
	cmd.printErr("batch %s", summary(b))
	if to == io.Discard {
		cmd.printErr("stepgraph batch results %s prints the result of each item", b.ID)
	}
	if b.Failed > 0 || b.Status == engine.BatchStopped {
		return ended(exitFailed)
	}
	return nil
}

// copyResults writes a batch's results.
func (cmd *batchCommands) copyResults(ctx context.Context, s *client.Client, to io.Writer, id string, failed, follow bool) error {
	results, err := s.BatchResults(ctx, id, failed, follow)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, results)
	return errors.Join(err, results.Close())
}

// summary is how far a batch has come, in words.
func summary(b *api.Batch) string {
	text := fmt.Sprintf("%s is %s: %d of %d done, %d failed", b.ID, b.Status, b.Done, b.Total, b.Failed)
	if b.Message != "" {
		text += "; " + b.Message
	}
	return text
}

// A progress shows how far a batch has come: a bar that is redrawn at a terminal, a line every
// reportEvery elsewhere.
type progress struct {
	to       io.Writer
	bar      bool
	began    time.Time
	reported time.Time
}

// follow looks at the batch until its results are all written, and returns what became
// of it.
func (p *progress) follow(ctx context.Context, s *client.Client, b *api.Batch, copied <-chan error) (*api.Batch, error) {
	t := time.NewTicker(progressEvery)
	defer t.Stop()
	p.reported = p.began
	for {
		select {
		case err := <-copied:
			if err != nil {
				return b, err
			}
			last, err := s.Batch(ctx, b.ID)
			if err != nil {
				return b, err
			}
			p.show(last, time.Now())
			return last, nil
		case <-t.C:
			now, err := s.Batch(ctx, b.ID)
			if err != nil {
				return b, err
			}
			b = now
			p.show(b, time.Now())
		}
	}
}

func (p *progress) show(b *api.Batch, now time.Time) {
	switch {
	case p.bar:
		fmt.Fprintf(p.to, "\r\x1b[K%s", drawBar(b, now.Sub(p.began)))
	case now.Sub(p.reported) >= reportEvery:
		p.reported = now
		fmt.Fprintf(p.to, "batch %s\n", summary(b))
	}
}

// end leaves the line of the bar.
func (p *progress) end() {
	if p.bar {
		fmt.Fprintln(p.to)
	}
}

// barWidth is the length of the bar, in characters.
const barWidth = 30

// drawBar is the progress of a batch as one line.
func drawBar(b *api.Batch, since time.Duration) string {
	over, total := b.Done+b.Failed, max(b.Total, 1)
	full := int(over * barWidth / total)
	line := fmt.Sprintf("[%s%s] %d/%d", strings.Repeat("#", full), strings.Repeat("-", barWidth-full), over, b.Total)
	if b.Failed > 0 {
		line += fmt.Sprintf("  %d failed", b.Failed)
	}
	if seconds := since.Seconds(); seconds >= 1 && over > 0 {
		rate := float64(over) / seconds
		line += fmt.Sprintf("  %.0f/s", rate)
		if b.Status == engine.BatchRunning && over < b.Total {
			left := time.Duration(float64(b.Total-over) / rate * float64(time.Second))
			line += fmt.Sprintf("  %s left", left.Round(time.Second))
		}
	}
	return line
}

func (cmd *batchCommands) printBatch(b *api.Batch) error {
	if cmd.json() {
		return cmd.printJSON(b)
	}
	cmd.print("batch %s", summary(b))
	cmd.print("action %s, started %s", b.Action, b.CreatedAt.Local().Format(time.DateTime))
	return nil
}
