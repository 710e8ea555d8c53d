package models_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/script"
)

// A turn is one call and what the model answers to it.
type turn struct {
	step, key string
	schema    bool
	resp      models.Response
	err       error
}

// conversation is a model that answers turn after turn.
func conversation(turns []turn) models.Model {
	next := 0
	return models.Func(func(context.Context, models.Request) (models.Response, error) {
		next++
		return turns[next-1].resp, turns[next-1].err
	})
}

func (u turn) ask(m models.Model) (models.Response, error) {
	req := models.Request{Step: u.step, Key: u.key}
	if u.schema {
		req.Schema = json.RawMessage(`{"type":"object"}`)
	}
	return m.Generate(context.Background(), req)
}

func TestRecordThenPlay(t *testing.T) {
	structured := func(text string) models.Response {
		return models.Response{Text: text, Object: json.RawMessage(text)}
	}
	busy := &models.Error{Kind: models.KindRateLimit, Status: 429, Retryable: true, Message: "openai: slow down"}
	turns := []turn{
		{step: "ask", resp: models.Response{Text: "Hello <you> & \"me\"\n"}},
		{step: "judge", schema: true, resp: structured(`{"good":true,"score":1.0}`)},
		{step: "ask", key: "s/ask/2/0", err: busy},
		{step: "ask", key: "s/ask/2/0", resp: models.Response{Text: "second"}},
		{step: "judge", schema: true, resp: structured(`{"error":"none","transient":false}`)}, // looks like a scripted error
		{step: "judge", schema: true, resp: structured(`{"reply":"x","delay_ms":5}`)},
		{step: "judge", schema: true, resp: structured(`[1,2]`)},
		{step: "agent", resp: models.Response{Text: "let me see", ToolCalls: []models.ToolCall{
			{ID: "1", Name: "look", Arguments: json.RawMessage(`{"id":7}`)}, {ID: "2", Name: "odd", Arguments: json.RawMessage(`{"broken`)}}}},
		{step: "agent", err: models.NewError(models.KindRefusal, false, "openai: no", nil)},
		{resp: models.Response{Text: "no step"}},
	}
	path := filepath.Join(t.TempDir(), "replies.json")
	recorder := models.NewRecorder(path)
	m := recorder.Wrap(conversation(turns))
	for _, u := range turns {
		if _, err := u.ask(m); !errors.Is(err, u.err) {
			t.Fatalf("the recorder changed the error of %+v to %v", u, err)
		}
	}
	if err := recorder.Flush(); err != nil {
		t.Fatal(err)
	}
	file, err := script.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	player := script.New(file)
	for i, u := range turns {
		resp, err := u.ask(player)
		if got, want := played(resp, err), played(u.resp, u.err); got != want {
			t.Errorf("turn %d:\n played %s\nwas %s", i, got, want)
		}
	}
	if _, err := (turn{step: "ask"}).ask(player); err == nil {
		t.Error("the recording has a reply more than the conversation")
	}
}

// played is what of a turn must survive: texts, objects, calls and errors.
func played(resp models.Response, err error) string {
	if err != nil {
		var failed *models.Error
		return fmt.Sprint("error ", err, " ", errors.As(err, &failed) && failed.Transient())
	}
	text := fmt.Sprintf("%q %s", resp.Text, resp.Object)
	for _, c := range resp.ToolCalls {
		text += " " + c.Name + " " + string(models.Arguments(string(c.Arguments)))
	}
	return text
}

func TestRecorderKeepsOneReplyForAKeyAndNoneForACancelledCall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "replies.json")
	turns := []turn{
		{step: "a", key: "k", resp: models.Response{Text: "first"}},
		{step: "a", key: "k", resp: models.Response{Text: "again"}},
		{step: "a", key: "k", err: errors.New("late failure")},
		{step: "a", key: "l", err: models.NewError(models.KindCancelled, false, "gone", context.Canceled)},
	}
	m := models.NewRecorder(path).Wrap(conversation(turns))
	for _, u := range turns {
		_, _ = u.ask(m)
	}
	text, err := os.ReadFile(path)
	if want := "{\n  \"steps\": {\n    \"a\": [\n      \"again\"\n    ]\n  }\n}\n"; err != nil || string(text) != want {
		t.Errorf("recorded %s, %v; want %s", text, err, want)
	}
}

// Replies stand in the order in which they were asked for, whichever came first,
// since the player hands them out in that order.
func TestRecorderKeepsTheOrderOfTheCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "replies.json")
	asked, release := make(chan struct{}), make(chan struct{})
	m := models.NewRecorder(path).Wrap(models.Func(func(_ context.Context, req models.Request) (models.Response, error) {
		if req.Key == "slow" {
			close(asked)
			<-release
		}
		return models.Response{Text: req.Key}, nil
	}))
	var group sync.WaitGroup
	group.Go(func() { _, _ = turn{step: "a", key: "slow"}.ask(m) })
	<-asked
	_, _ = turn{step: "a", key: "fast"}.ask(m)
	close(release)
	group.Wait()
	file, err := script.Load(path)
	if err != nil || len(file.Steps["a"]) != 2 || file.Steps["a"][0].Text != "slow" {
		t.Errorf("recorded %+v, %v", file.Steps, err)
	}
}

func TestRecordingThatCannotBeWrittenFailsNoCall(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	recorder := models.NewRecorder(filepath.Join(dir, "replies.json"))
	m := recorder.Wrap(named("fine"))
	if resp, err := (turn{step: "a"}).ask(m); err != nil || resp.Text != "fine" {
		t.Fatalf("got %v, %v", resp, err)
	}
	if err := recorder.Flush(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("flush into an absent folder: %v", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Flush(); err != nil {
		t.Fatalf("flush again: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v; want the recording alone", entries, err)
	}
}
