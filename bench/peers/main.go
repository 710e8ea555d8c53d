// Command peers measures stepgraph and other engines in one run on one machine and prints a
// table of the medians:
//
//	peers -stepgraph .bin/stepgraph -peers ../shared/peers -work .bin/peers
//
// The embedded store is measured in a new file, and Neo4j where $NEO4J_URI names a server; a
// server that has just started gets a row of its own, before it is warmed up. A peer is a folder
// with setup.sh and run.sh, which prints a line of JSON for each workload. Rounds alternate
// between all of them, so that a change of the machine meets each.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// A comparison is one run: what is measured, and the figures so far.
type comparison struct {
	program  string        // stepgraph
	folder   string        // of the peers' scripts
	work     string        // where they are installed and keep their data
	uri      string        // of Neo4j; empty leaves it out
	seconds  float64       // of each of stepgraph's workloads
	sessions int           // in flight at once
	turns    int           // of the conversation
	warm     time.Duration // warm-up of Neo4j
	full     string        // a store with many sessions, "": none
	progress io.Writer

	figures map[string]map[string][]float64 // by row, then by system
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	c := &comparison{progress: progress, figures: map[string]map[string][]float64{}}
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.StringVar(&c.program, "stepgraph", ".bin/stepgraph", "the program to measure")
	flags.StringVar(&c.folder, "peers", "../shared/peers", "folder of the peers")
	flags.StringVar(&c.work, "work", ".bin/peers", "folder where peers are installed and keep their data")
	flags.StringVar(&c.uri, "neo4j", os.Getenv("NEO4J_URI"), "Neo4j to measure on")
	flags.Float64Var(&c.seconds, "seconds", 10, "how long each workload of stepgraph runs")
	flags.IntVar(&c.sessions, "sessions", 1000, "sessions in flight at once")
	flags.IntVar(&c.turns, "turns", 500, "turns of a conversation")
	flags.DurationVar(&c.warm, "warm", time.Minute, "how long Neo4j is warmed up")
	flags.StringVar(&c.full, "full", "", "an SQLite file with many sessions (stepgraph bench --paused N --finished N), measured too")
	names := flags.String("with", "restate,langgraph", "peers to measure")
	rounds := flags.Int("rounds", 3, "rounds; the table has their medians")
	if err := flags.Parse(args); err != nil {
		return err
	}
	peers := strings.FieldsFunc(*names, func(r rune) bool { return r == ',' })
	if err := c.prepare(ctx, peers); err != nil {
		return err
	}
	for round := range *rounds {
		fmt.Fprintf(progress, "round %d of %d\n", round+1, *rounds)
		if err := c.round(ctx, peers); err != nil {
			return err
		}
	}
	c.print(out)
	return nil
}

// prepare installs the peers, measures Neo4j while it is young, and warms it up.
func (c *comparison) prepare(ctx context.Context, peers []string) error {
	if c.uri != "" {
		if err := c.ours(ctx, "Neo4j", c.uri, []workload{{"chain", "chain, young server", c.sessions}}); err != nil {
			return err
		}
		warm := &comparison{program: c.program, seconds: c.warm.Seconds() / 3, turns: c.turns, progress: io.Discard, figures: map[string]map[string][]float64{}}
		if err := warm.ours(ctx, "Neo4j", c.uri, []workload{{"chain", "chain", c.sessions}, {"chain", "chain, alone", 1}, {"pause", "pause", c.sessions}}); err != nil {
			return err
		}
	}
	for _, peer := range peers {
		if _, err := c.script(ctx, peer, "setup.sh", nil); err != nil {
			return err
		}
	}
	return nil
}

// A workload of `stepgraph bench`, and the name of its rows.
type workload struct {
	name, row string
	sessions  int
}

func (c *comparison) workloads() []workload {
	return []workload{{"chain", "chain", c.sessions}, {"ceiling", "ceiling", c.sessions}, {"chain", "chain, alone", 1}, {"pause", "pause", c.sessions}, {"pause", "pause, alone", 1},
		{"fanout", "fan-out of 100", 1}, {"turns", "turns", 1}}
}

func (c *comparison) round(ctx context.Context, peers []string) error {
	folder, err := os.MkdirTemp("", "stepgraph-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := c.ours(ctx, "embedded", "sqlite:"+filepath.Join(folder, "bench.db"), c.workloads()); err != nil {
		return err
	}
	if c.full != "" {
		if err := c.ours(ctx, "embedded, full", "sqlite:"+c.full, c.workloads()); err != nil {
			return err
		}
	}
	if c.uri != "" {
		if err := c.ours(ctx, "Neo4j", c.uri, c.workloads()); err != nil {
			return err
		}
	}
	for _, peer := range peers {
		if err := c.peer(ctx, peer); err != nil {
			return err
		}
	}
	return nil
}

// result is what is read of the lines of `stepgraph bench`.
type result struct {
	Steps     float64  `json:"steps_per_s"`
	P50       float64  `json:"p50_ms"`
	P99       float64  `json:"p99_ms"`
	MSPerStep float64  `json:"ms_per_step"`
	Start     *float64 `json:"start_per_s"`
	Resume    *float64 `json:"resume_per_s"`
	First     *float64 `json:"first50_ms"`
	Last      *float64 `json:"last50_ms"`
}

// ours plays workloads of stepgraph on a store.
func (c *comparison) ours(ctx context.Context, system, store string, list []workload) error {
	for _, w := range list {
		fmt.Fprintf(c.progress, "%s: %s\n", system, w.row)
		cmd := exec.CommandContext(ctx, c.program, "bench", w.name, "--store", store, "--sessions", strconv.Itoa(w.sessions),
			"--seconds", strconv.FormatFloat(c.seconds, 'f', -1, 64), "--turns", strconv.Itoa(c.turns))
		cmd.Stderr = os.Stderr
		text, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %s: %w", system, w.row, err)
		}
		var r result
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("%s: %s: %w", system, w.row, err)
		}
		c.take(system, w, r)
	}
	return nil
}

func (c *comparison) take(system string, w workload, r result) {
	switch w.row {
	case "chain, alone":
		c.add(rowStep, system, r.MSPerStep)
		c.add(rowTail, system, r.P99/r.P50)
	case "pause":
		c.add(rowResumed, system, *r.Resume)
		c.add(rowStarted, system, *r.Start)
	case "pause, alone":
		c.add(rowAnswer, system, r.P50)
	case "fan-out of 100":
		c.add(rowFan, system, r.P50)
	case "turns":
		c.add(rowTurns, system, *r.Last / *r.First)
	case "chain, young server":
		c.add(rowYoung, system, r.Steps)
	case "ceiling":
		c.add(rowCeiling, system, r.Steps)
	default:
		c.add(rowChain, system, r.Steps)
	}
}

// Rows of the table, in its order.
const (
	rowChain   = "chain, steps/s"
	rowYoung   = "chain on a young server, steps/s"
	rowCeiling = "the store alone (ceiling), checkpoints/s"
	rowShare   = "share of the ceiling"
	rowStep    = "chain, one session, ms a step"
	rowTail    = "chain, one session, p99 against p50"
	rowResumed = "paused sessions resumed, a second"
	rowStarted = "started and paused, a second"
	rowAnswer  = "answer to next pause, alone, p50 ms"
	rowFan     = "fan-out of 100, joined, ms"
	rowTurns   = "turns, last 50 against first 50"
)

var rows = []string{rowChain, rowYoung, rowCeiling, rowShare, rowStep, rowTail, rowResumed, rowStarted, rowAnswer, rowFan, rowTurns}

func (c *comparison) add(row, system string, figure float64) {
	if c.figures[row] == nil {
		c.figures[row] = map[string][]float64{}
	}
	c.figures[row][system] = append(c.figures[row][system], figure)
}

// peerWorkloads are those of the peers that correspond to ours.
func (c *comparison) peerWorkloads() string {
	return fmt.Sprintf("W1s,W1:%[1]d,W2s,W2:%[1]d,W4,W3", c.sessions)
}

// peer plays the workloads of another engine once.
func (c *comparison) peer(ctx context.Context, name string) error {
	fmt.Fprintln(c.progress, name)
	text, err := c.script(ctx, name, "run.sh", []string{c.peerWorkloads()}, "REPS=1", "REP=1", "STORE=sqlite")
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r map[string]any
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue // what its server or package manager says
		}
		for field, row := range peerRows(fmt.Sprint(r["w"])) {
			if figure, ok := r[field].(float64); ok {
				c.add(row, name, figure)
			}
		}
		if first, ok := r["first50_ms"].(float64); ok && first > 0 {
			c.add(rowTurns, name, r["last50_ms"].(float64)/first)
		}
	}
	return lines.Err()
}

// peerRows gives the row of each figure that a peer prints for a workload.
func peerRows(workload string) map[string]string {
	name, _, _ := strings.Cut(workload, ":")
	switch name {
	case "W1":
		return map[string]string{"steps_s": rowChain}
	case "W1s":
		return map[string]string{"step_ms": rowStep}
	case "W2":
		return map[string]string{"start_s": rowStarted, "resume_s": rowResumed}
	case "W2s":
		return map[string]string{"p50_ms": rowAnswer}
	case "W4":
		return map[string]string{"fan_ms": rowFan}
	}
	return nil
}

// script runs a script of a peer, with WORK set to a folder of its own.
func (c *comparison) script(ctx context.Context, peer, file string, args []string, env ...string) ([]byte, error) {
	work, err := filepath.Abs(filepath.Join(c.work, peer))
	if err == nil {
		err = os.MkdirAll(work, 0o755)
	}
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "sh", append([]string{filepath.Join(c.folder, peer, file)}, args...)...)
	cmd.Env = append(append(os.Environ(), "WORK="+work), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && file == "run.sh" && bytes.Contains(text, []byte("{")) {
		err = nil // a script that ends by stopping its server may end with that server's code
	}
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w\n%s", file, peer, err, stderr.Bytes())
	}
	return text, nil
}

// print writes the table: a row for each figure, a column for each system, medians.
func (c *comparison) print(out io.Writer) {
	c.shares()
	var systems []string
	for _, row := range rows {
		for system := range c.figures[row] {
			if !slices.Contains(systems, system) {
				systems = append(systems, system)
			}
		}
	}
	slices.SortFunc(systems, func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) })
	fmt.Fprintf(out, "| workload | %s |\n|---|%s\n", strings.Join(systems, " | "), strings.Repeat("---|", len(systems)))
	for _, row := range rows {
		cells := make([]string, len(systems))
		for i, system := range systems {
			if found := c.figures[row][system]; len(found) > 0 {
				cells[i] = strconv.FormatFloat(median(found), 'f', decimals(median(found)), 64)
			}
		}
		fmt.Fprintf(out, "| %s | %s |\n", row, strings.Join(cells, " | "))
	}
}

// place puts the stores of stepgraph before the peers.
func place(system string) int {
	if at := slices.Index([]string{"embedded", "embedded, full", "Neo4j"}, system); at >= 0 {
		return at
	}
	return 9
}

// shares adds which part of the ceiling the chain reaches.
func (c *comparison) shares() {
	for system, found := range c.figures[rowChain] {
		if ceiling := c.figures[rowCeiling][system]; len(ceiling) > 0 {
			c.add(rowShare, system, median(found)/median(ceiling))
		}
	}
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// decimals shows three digits or so.
func decimals(figure float64) int {
	switch {
	case figure >= 100:
		return 0
	case figure >= 10:
		return 1
	}
	return 2
}
