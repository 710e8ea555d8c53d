package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A Filling says how many sessions a store holds in addition to those that are measured.
type Filling struct {
	Paused   int // sessions that wait for an answer
	Finished int // sessions that have ended
}

// FillWorkflow is the workflow of the sessions that Fill makes.
const FillWorkflow = "bench-fill"

// fillGroup is how many sessions one transaction creates.
const fillGroup = 500

// Fill puts sessions into a store and leaves them there. One session of each kind is played
// by an engine, the others are copies of it with ids, labels and history of their own, written
// in groups: a million of them take minutes, not hours. Labels: n is different in each session,
// tenth has ten values, half has two.
func Fill(ctx context.Context, opened engine.Store, f Filling) error {
	if _, err := opened.Migrate(ctx); err != nil {
		return err
	}
	paused, finished, err := playTemplates(ctx, opened)
	if err != nil {
		return err
	}
	if err := paused.copies(ctx, opened, f.Paused); err != nil {
		return err
	}
	return finished.copies(ctx, opened, f.Finished)
}

// A template is a session as an engine has left it, to be copied.
type template struct {
	name       string
	record     *store.SessionRecord
	executions []engine.Execution
	messages   []engine.Message
}

// playTemplates plays one session until it asks, and another one to its end.
func playTemplates(ctx context.Context, opened engine.Store) (paused, finished *template, err error) {
	e := engine.New(opened, functions(), engine.Options{})
	steps, paths := aroundQuestion()
	if _, err := e.PutWorkflow(ctx, &engine.Workflow{ID: FillWorkflow, Steps: steps, Paths: paths}, ""); err != nil {
		return nil, nil, err
	}
	life, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- e.Run(life) }()
	defer func() {
		stop()
		if ran := <-ended; ran != nil && !errors.Is(ran, context.Canceled) {
			err = errors.Join(err, ran)
		}
	}()
	b := &bench{engine: e, workflow: FillWorkflow}
	ids, _, err := b.started(ctx, 2)
	if err != nil {
		return nil, nil, err
	}
	if err := b.answer(ctx, ids[1], engine.StatusComplete); err != nil {
		return nil, nil, err
	}
	if paused, err = readTemplate(ctx, opened, "paused", ids[0]); err != nil {
		return nil, nil, err
	}
	finished, err = readTemplate(ctx, opened, "finished", ids[1])
	return paused, finished, err
}

func readTemplate(ctx context.Context, opened engine.Store, name, id string) (*template, error) {
	record, err := opened.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	executions, err := opened.Executions(ctx, id, engine.HistoryQuery{Lineage: true, Limit: 1000})
	if err != nil {
		return nil, err
	}
	messages, err := opened.Messages(ctx, id, engine.HistoryQuery{Limit: 1000})
	return &template{name: name, record: record, executions: executions, messages: messages}, err
}

// copies writes n copies. Ids go on from those of an earlier filling.
func (t *template) copies(ctx context.Context, opened engine.Store, n int) error {
	began := t.record.CreatedAt.UnixNano()
	for at := 0; at < n; at += fillGroup {
		ids := make([]string, min(fillGroup, n-at))
		for i := range ids {
			ids[i] = fmt.Sprintf("%s-%x-%07d", t.name, began, at+i)
		}
		if err := t.write(ctx, opened, ids, at); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
	return nil
}

func (t *template) write(ctx context.Context, opened engine.Store, ids []string, at int) error {
	fresh := make([]store.NewSession, len(ids))
	rows := make([]store.Checkpoint, len(ids))
	for i, id := range ids {
		fresh[i] = store.NewSession{ID: id, Workflow: FillWorkflow, State: t.as(t.record.State, id), Counters: t.record.Counters, Status: engine.StatusActive, Root: id,
			Labels: map[string]string{"n": fmt.Sprint(at + i), "tenth": fmt.Sprint(i % 10), "half": fmt.Sprint(i % 2)},
			Claim:  &store.Lease{Token: "fill-" + id, Owner: "bench", For: heldFor}}
		rows[i] = t.checkpoint(id, at+i)
	}
	created, err := opened.Create(ctx, fresh)
	if err != nil {
		return err
	}
	for i := range created {
		if created[i].Err != nil {
			return created[i].Err
		}
	}
	results, err := opened.Commit(ctx, rows)
	if err != nil {
		return err
	}
	for i := range results {
		if results[i].Outcome != store.Committed {
			return fmt.Errorf("session %s was not written (outcome %d)", ids[i], results[i].Outcome)
		}
	}
	return nil
}

// checkpoint brings a new session to where the template is. The n-th waits for n milliseconds less.
func (t *template) checkpoint(id string, n int) store.Checkpoint {
	since := t.record.AwaitingSince
	if !since.IsZero() {
		since = since.Add(time.Duration(n) * time.Millisecond)
	}
	c := store.Checkpoint{Session: id, Lease: "fill-" + id, Transition: id + "@1", State: t.as(t.record.State, id), Counters: t.record.Counters,
		Status: t.record.Status, Awaiting: t.as(t.record.Awaiting, id), AwaitingSince: since, Release: true}
	for _, e := range t.executions {
		e.ID, e.Session = fmt.Sprintf("%s/%d", id, e.Seq), id
		e.Reads, e.Took = t.links(e.Reads, id), t.links(e.Took, id)
		c.Executions = append(c.Executions, e)
	}
	for _, m := range t.messages {
		m.ID = fmt.Sprintf("%s/%d", id, m.N)
		c.Messages = append(c.Messages, m)
	}
	return c
}

func (t *template) links(list []engine.Lineage, id string) []engine.Lineage {
	out := make([]engine.Lineage, len(list))
	for i, l := range list {
		out[i] = engine.Lineage{Execution: string(t.as([]byte(l.Execution), id)), Label: l.Label}
	}
	return out
}

// as is a text of the template with another session's id in it.
func (t *template) as(text []byte, id string) json.RawMessage {
	return bytes.ReplaceAll(text, []byte(t.record.ID), []byte(id))
}
