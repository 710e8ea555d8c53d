// Command engines measures one and two `stepgraph serve` processes on one Neo4j and prints one table:
//
//	neo4j-for-tests -- engines -stepgraph .bin/stepgraph
//
// It serves the functions of its workflows and, between two engines, a NATS server itself.
// Rows that need Neo4j are left out where neither -neo4j nor $NEO4J_URI names one. The
// database should be one for tests: finished sessions stay in it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "engines:", err)
		os.Exit(1)
	}
}

// A bench is one run: what is measured, how large, and the table so far.
type bench struct {
	program  string // stepgraph
	uri      string // of Neo4j; empty leaves out what needs it
	sizes    sizes
	progress io.Writer

	folder string // logs and SQLite files of this run
	name   string // of this run, what its sessions' ids begin with
	stub   *stub
	nats   string // address of the NATS server
	lines  []line
}

// sizes are how much a run measures.
type sizes struct {
	lasting  time.Duration // of one measurement
	warm     time.Duration // of Neo4j, before speed is measured
	clients  int           // that send starts one after another, where functions take no time
	slow     int           // clients where calls take 200 ms
	crowd    int           // sessions in calls of 5 s that a chat runs beside
	flood    int           // clients of the workflow that overloads an engine
	watched  int           // sessions whose events are timed
	killed   int           // sessions on the engine that is killed
	lease    time.Duration // the default of serve
	short    time.Duration // another lease
	slots    int           // of the function, where calls are slow
	patience time.Duration // for what should have come
	row      time.Duration // at most, for one row
}

// A row is one part of the table.
type row struct {
	name    string
	two     bool // needs two engines, and so Neo4j
	measure func(*bench, context.Context) error
}

var rows = []row{
	{"speed", true, (*bench).speed},
	{"events", true, (*bench).events},
	{"takeover", true, (*bench).takeovers},
	{"rolling", true, (*bench).rolling},
	{"beside", false, (*bench).beside},
	{"overload", false, (*bench).overload},
	{"refusals", false, (*bench).refusals},
	{"retention", false, (*bench).retention},
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	b := &bench{progress: progress, name: fmt.Sprintf("bench-%d", time.Now().UnixMilli())}
	chosen, err := b.parse(args)
	if err != nil {
		return err
	}
	if b.folder, err = os.MkdirTemp("", "stepgraph-engines-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	stop, err := b.serveStub()
	if err != nil {
		return err
	}
	defer stop()
	for _, r := range rows {
		if !slices.Contains(chosen, r.name) || r.two && b.uri == "" {
			continue
		}
		began := time.Now()
		if err := b.limited(ctx, r); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		fmt.Fprintf(progress, "%s: %.0f s\n", r.name, time.Since(began).Seconds())
	}
	b.print(out)
	return nil
}

// limited measures a row and gives up when it takes longer than a row may.
func (b *bench) limited(ctx context.Context, r row) error {
	ctx, stop := context.WithTimeoutCause(ctx, b.sizes.row, fmt.Errorf("not measured within %s (-row-time)", b.sizes.row))
	defer stop()
	err := r.measure(b, ctx)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// parse reads the flags and returns the names of the chosen rows.
func (b *bench) parse(args []string) ([]string, error) {
	flags := flag.NewFlagSet("engines", flag.ContinueOnError)
	flags.StringVar(&b.program, "stepgraph", ".bin/stepgraph", "the program to measure")
	flags.StringVar(&b.uri, "neo4j", os.Getenv("NEO4J_URI"), "Neo4j to measure on")
	s := &b.sizes
	flags.DurationVar(&s.lasting, "lasting", 8*time.Second, "how long each measurement takes")
	flags.DurationVar(&s.warm, "warm", 20*time.Second, "how long Neo4j is warmed up before the speed is measured")
	flags.IntVar(&s.clients, "clients", 64, "clients where functions take no time")
	flags.IntVar(&s.slow, "slow-clients", 32, "clients where calls take 200 ms")
	flags.IntVar(&s.slots, "slots", 8, "calls at once in an engine, where calls are slow")
	flags.IntVar(&s.crowd, "crowd", 1500, "sessions in calls of 5 s that a chat runs beside")
	flags.IntVar(&s.flood, "flood", 400, "clients of the workflow that overloads an engine")
	flags.IntVar(&s.watched, "watched", 120, "sessions whose events are timed")
	flags.IntVar(&s.killed, "killed", 24, "sessions on the engine that is killed")
	flags.DurationVar(&s.lease, "lease", 15*time.Second, "lease of the first takeover")
	flags.DurationVar(&s.short, "short-lease", 3*time.Second, "lease of the second takeover")
	flags.DurationVar(&s.patience, "patience", time.Minute, "how long to wait for what should come")
	flags.DurationVar(&s.row, "row-time", 5*time.Minute, "how long one row may take")
	var names []string
	for _, r := range rows {
		names = append(names, r.name)
	}
	text := flags.String("rows", strings.Join(names, ","), "what to measure")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	chosen := strings.FieldsFunc(*text, func(r rune) bool { return r == ',' })
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("-rows: there is no row %q, want some of %s", name, strings.Join(names, ","))
		}
	}
	if least := min(s.clients, s.slow, s.slots, s.crowd, s.flood, s.watched, s.killed); least < 1 {
		return nil, errors.New("all numbers must be 1 or more")
	}
	return chosen, nil
}

// A line is one line of the table.
type line struct {
	what, where string
	rate        string    // with its unit
	times       []float64 // in milliseconds; none leaves their cells empty
	also        string
}

func (b *bench) add(l line) {
	b.lines = append(b.lines, l)
	fmt.Fprintln(b.progress, l.text())
}

func (l line) text() string {
	p50, p99 := "", ""
	if len(l.times) > 0 {
		p50, p99 = figure(quantile(l.times, 0.5)), figure(quantile(l.times, 0.99))
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", l.what, l.where, l.rate, p50, p99, l.also)
}

func (b *bench) print(out io.Writer) {
	fmt.Fprintln(out, "| measured | with | rate | p50 ms | p99 ms | also |\n|---|---|---|---|---|---|")
	for _, l := range b.lines {
		fmt.Fprintln(out, l.text())
	}
}

// quantile returns the smallest value that the share q of the list does not exceed.
func quantile(list []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// figure shows three digits or so.
func figure(f float64) string {
	switch {
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.2f", f)
}
