package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Events of scenarios. Those that are meant to be refused end in ` => ` and a part of the
// error.
//
//	start {"entry": …, "inputs": …, "key": …}  a session; the first is A, the next B
//	adopt STATE                                a session made by hand: id and state, no more
//	session B                                  what follows speaks of B
//	answer [key=K] [STEP[/VISIT[/ASK]]] JSON
//	act KIND {"step": …, "to": …, …}           pause, resume, cancel, retry, …
//	edit STEP                                  a step as our JSON has it, added or replaced
//	edit-path PATH                             the same for a path
//	remove-step ID, remove-path ID
//	settings JSON                              of the workflow
//	state PATCH                                a person's edit: a merge patch of the state
//	replace-state JSON                         a person's edit: the whole state
//	wait                                       until the session rests, as ?wait= does
//	release NAME                               lets one call of wait-for go on
//	tick DURATION                              time passes
//	crash                                      kill -9, and another engine
//	restart                                    a clean stop, and another engine
//	delete
var verbs = map[string]func(*world, string) error{
	"start": (*world).start, "adopt": (*world).adopt, "session": (*world).choose, "answer": (*world).answer,
	"act": (*world).act, "edit": (*world).edit, "edit-path": (*world).editPath, "remove-step": (*world).removeStep,
	"remove-path": (*world).removePath, "settings": (*world).settings, "state": (*world).editState, "replace-state": (*world).replaceState, "wait": (*world).wait,
	"release": (*world).release, "tick": (*world).tick, "crash": func(w *world, _ string) error { w.crash(); return nil },
	"restart": func(w *world, _ string) error { w.stop(); w.startEngine(); return nil }, "delete": (*world).remove,
}

func (w *world) do(e event) error {
	verb := verbs[e.verb]
	if verb == nil {
		return fmt.Errorf("there is no event %q", e.verb)
	}
	return verb(w, strings.ReplaceAll(e.rest, "{A}", w.prefix+"A"))
}

// read decodes the JSON of an event; nothing at all is an empty object.
func read(text string, into any) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), into)
}

func (w *world) start(rest string) error {
	var q engine.StartRequest
	if err := read(rest, &q); err != nil {
		return err
	}
	if q.Workflow == "" {
		q.Workflow = w.prefix + "W"
	}
	if q.ID == "" {
		q.ID = w.prefix + w.nextName()
	}
	if q.Key != "" {
		q.Key = w.prefix + q.Key
		q.ID = cmp.Or(w.keys[q.Key], q.ID)
		w.keys[q.Key] = q.ID
	}
	s, err := w.engine.Start(w.t.Context(), q)
	if err != nil || s.Replayed {
		w.sessions = w.sessions[:len(w.sessions)-1]
		w.current = "A"
	}
	return err
}

func (w *world) adopt(rest string) error {
	name := w.nextName()
	out, err := w.store.Create(w.t.Context(), []store.NewSession{{ID: w.prefix + name, Workflow: w.prefix + "W", State: []byte(rest)}})
	if err != nil {
		return err
	}
	if out[0].Err != nil {
		return out[0].Err
	}
	_, err = w.engine.Act(w.t.Context(), engine.Action{Session: w.id(), Kind: engine.RequestResume})
	return err
}

func (w *world) choose(rest string) error {
	w.current = rest
	return nil
}

func (w *world) answer(rest string) error {
	q := engine.AnswerRequest{Session: w.id()}
	if key, ok := strings.CutPrefix(rest, "key="); ok {
		q.Key, rest, _ = strings.Cut(key, " ")
	}
	if !json.Valid([]byte(rest)) {
		q.Step, rest, _ = strings.Cut(rest, " ")
		if _, err := fmt.Sscanf(strings.ReplaceAll(q.Step, "/", " "), "%s %d %d", &q.Step, &q.Visit, &q.Ask); err != nil && q.Visit == 0 && strings.Contains(q.Step, "/") {
			return fmt.Errorf("answer %q: %w", q.Step, err)
		}
	}
	q.Response = json.RawMessage(rest)
	_, err := w.engine.Answer(w.t.Context(), q)
	return err
}

func (w *world) act(rest string) error {
	kind, rest, _ := strings.Cut(rest, " ")
	a := engine.Action{Session: w.id(), Kind: kind}
	if err := read(rest, &a); err != nil {
		return err
	}
	_, err := w.engine.Act(w.t.Context(), a)
	return err
}

// part reads a list of one step or path by way of our JSON, as the API does.
func part(kind, rest string) (*engine.Workflow, error) {
	return readNative(fmt.Sprintf(`{%q: [%s]}`, kind, rest))
}

func (w *world) edit(rest string) error {
	doc, err := part("steps", rest)
	if err != nil {
		return err
	}
	_, err = w.engine.PutStep(w.t.Context(), w.prefix+"W", doc.Steps[0], "")
	return err
}

func (w *world) editPath(rest string) error {
	doc, err := part("paths", rest)
	if err != nil {
		return err
	}
	p := doc.Paths[0]
	if !p.Stored { // the path that goes by this name now, if there is one
		p.ID = p.Source + ">" + p.Target
		now, err := w.engine.Workflow(w.t.Context(), w.prefix+"W")
		if err != nil {
			return err
		}
		if now.Path(p.ID) == nil {
			p.ID = ""
		}
	}
	_, err = w.engine.PutPath(w.t.Context(), w.prefix+"W", p, "")
	return err
}

func (w *world) removeStep(rest string) error {
	_, err := w.engine.RemoveStep(w.t.Context(), w.prefix+"W", rest, "")
	return err
}

func (w *world) removePath(rest string) error {
	_, err := w.engine.RemovePath(w.t.Context(), w.prefix+"W", rest, "")
	return err
}

func (w *world) settings(rest string) error {
	now, err := w.engine.Workflow(w.t.Context(), w.prefix+"W")
	if err != nil {
		return err
	}
	if err := read(rest, &now.Settings); err != nil {
		return err
	}
	_, err = w.engine.Put(w.t.Context(), now, engine.PutOptions{Force: true})
	return err
}

func (w *world) editState(rest string) error {
	text, version, err := w.engine.State(w.t.Context(), w.id())
	if err != nil {
		return err
	}
	var state, patch any
	if err := errors.Join(json.Unmarshal(text, &state), json.Unmarshal([]byte(rest), &patch)); err != nil {
		return err
	}
	edited, err := json.Marshal(mergePatch(state, patch))
	if err != nil {
		return err
	}
	_, err = w.engine.EditState(w.t.Context(), engine.EditRequest{Session: w.id(), Version: version, State: edited, By: "a person"})
	return err
}

func (w *world) replaceState(rest string) error {
	_, version, err := w.engine.State(w.t.Context(), w.id())
	if err != nil {
		return err
	}
	_, err = w.engine.EditState(w.t.Context(), engine.EditRequest{Session: w.id(), Version: version, State: []byte(rest), By: "a person"})
	return err
}

func (w *world) wait(string) error {
	ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Second)
	defer cancel()
	_, err := w.engine.Wait(ctx, w.id())
	return err
}

// mergePatch is RFC 7396.
func mergePatch(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for k, v := range changes {
		if v == nil {
			delete(object, k)
			continue
		}
		object[k] = mergePatch(object[k], v)
	}
	return object
}

func (w *world) release(rest string) error {
	w.fakes.release(rest)
	return nil
}

// tick lets time pass. On the real clock it passes by itself: settle waits for what the
// time that has passed must bring.
func (w *world) tick(rest string) error {
	d, err := time.ParseDuration(rest)
	if err == nil && w.bubble {
		time.Sleep(d)
	}
	return err
}

func (w *world) remove(string) error {
	return w.engine.DeleteSession(w.t.Context(), w.id(), false)
}
