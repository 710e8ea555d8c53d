package api

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// An audited engine describes acts for the audit trail: on what, with before and after. It
// stands between all routes and the engine, since one request of another system can be
// several acts, and a WebSocket is one request with many.
type audited struct {
	Engine
	auditor *auditor
}

// note describes the act of a request. The first act of a request that is not yet answered is
// in the entry of the request; every other one is written at once as an entry of its own.
func (a audited) note(ctx context.Context, e AuditEntry, err error) error {
	do := auditContextOf(ctx)
	if do == nil || !a.auditor.audits() {
		return err
	}
	do.mu.Lock()
	if !do.noted && !do.sent {
		do.noted = true
		e.Who = do.entry.Who
		do.entry = e
		do.mu.Unlock()
		return err
	}
	own := do.entry
	do.mu.Unlock()
	if err != nil {
		return err
	}
	e.ID, e.At, e.Who, e.From, e.Count, e.Status = newAuditID(), time.Now().UTC().Truncate(time.Microsecond), own.Who, own.From, 1, 200
	return a.auditor.write(ctx, e)
}

// sessionBefore is a session's status and version before an act, without its state.
func (a audited) sessionBefore(ctx context.Context, id string) (before json.RawMessage, workflow string) {
	if !a.auditor.audits() {
		return nil, ""
	}
	found, err := a.Store().ListSessions(ctx, engine.SessionQuery{IDs: []string{id}, Limit: 1})
	if err != nil || len(found) == 0 {
		return nil, ""
	}
	return auditValue(map[string]any{"status": found[0].Status, "version": found[0].Version}), found[0].Workflow
}

func afterOf(s *engine.Session, more map[string]any) json.RawMessage {
	if s != nil {
		more["status"], more["version"] = s.Status, s.Version
	}
	return auditValue(more)
}

func (a audited) Start(ctx context.Context, q engine.StartRequest) (*engine.Session, error) {
	s, err := a.Engine.Start(ctx, q)
	return s, a.note(ctx, started(q, s), err)
}

func (a audited) StartAndSubscribe(ctx context.Context, q engine.StartRequest) (*engine.Session, <-chan engine.Event, error) {
	s, events, err := a.Engine.StartAndSubscribe(ctx, q)
	return s, events, a.note(ctx, started(q, s), err)
}

func started(q engine.StartRequest, s *engine.Session) AuditEntry {
	e := AuditEntry{Action: "startSession", Workflow: orDefault(q.Workflow), Session: q.ID}
	if s != nil {
		e.Session = s.ID
		e.After = afterOf(s, map[string]any{"entry": q.Entry, "labels": q.Labels})
	}
	return e
}

func (a audited) Fork(ctx context.Context, q engine.ForkRequest) (*engine.Session, error) {
	s, err := a.Engine.Fork(ctx, q)
	e := AuditEntry{Action: "forkSession", Session: q.Session, Subject: q.Step}
	if s != nil {
		e.Workflow, e.After = s.Workflow, afterOf(s, map[string]any{"session": s.ID})
	}
	return s, a.note(ctx, e, err)
}

func (a audited) Answer(ctx context.Context, q engine.AnswerRequest) (*engine.Session, error) {
	s, err := a.Engine.Answer(ctx, q)
	e := AuditEntry{Action: "answerSession", Session: q.Session, Subject: q.Step}
	if s != nil {
		e.Workflow = s.Workflow
		e.Before = auditValue(map[string]any{"status": engine.StatusAwaitingInput, "step": q.Step, "visit": q.Visit})
		e.After = afterOf(s, map[string]any{"response": digest(q.Response), "key": q.Key})
	}
	return s, a.note(ctx, e, err)
}

func (a audited) Act(ctx context.Context, q engine.Action) (*engine.Session, error) {
	before, workflow := a.sessionBefore(ctx, q.Session)
	s, err := a.Engine.Act(ctx, q)
	return s, a.note(ctx, AuditEntry{Action: q.Kind + "Session", Workflow: workflow, Session: q.Session, Subject: q.Step, Before: before,
		After: afterOf(s, map[string]any{"to": q.To, "name": q.Name, "reason": q.Reason})}, err)
}

func (a audited) EditState(ctx context.Context, q engine.EditRequest) (*engine.Session, error) {
	var before json.RawMessage
	if a.auditor.audits() {
		if was, at, err := a.State(ctx, q.Session); err == nil {
			before = auditValue(map[string]any{"version": at, "state": digest(was)})
		}
	}
	s, err := a.Engine.EditState(ctx, q)
	e := AuditEntry{Action: "editState", Session: q.Session, Before: before, After: afterOf(s, map[string]any{"state": digest(q.State)})}
	if s != nil {
		e.Workflow = s.Workflow
	}
	return s, a.note(ctx, e, err)
}

func (a audited) DeleteSession(ctx context.Context, id string, cancel bool) error {
	before, workflow := a.sessionBefore(ctx, id)
	err := a.Engine.DeleteSession(ctx, id, cancel)
	return a.note(ctx, AuditEntry{Action: "deleteSession", Workflow: workflow, Session: id, Before: before}, err)
}

// workflowBefore is a workflow before an edit; an empty one when it was not there.
func (a audited) workflowBefore(ctx context.Context, id string) *engine.Workflow {
	if a.auditor.audits() {
		if w, err := a.Workflow(ctx, id); err == nil {
			return w
		}
	}
	return &engine.Workflow{}
}

func etagOf(w *engine.Workflow) json.RawMessage {
	if w == nil || w.ID == "" {
		return nil
	}
	return auditValue(map[string]any{"etag": w.ETag(), "steps": len(w.Steps), "paths": len(w.Paths)})
}

func (a audited) Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error) {
	if o.DryRun {
		if do := auditContextOf(ctx); do != nil {
			do.mu.Lock()
			do.dry = true
			do.mu.Unlock()
		}
		return a.Engine.Put(ctx, w, o)
	}
	before := etagOf(a.workflowBefore(ctx, w.ID))
	d, err := a.Engine.Put(ctx, w, o)
	e := AuditEntry{Action: "putWorkflow", Workflow: w.ID, Before: before}
	if d != nil {
		e.After = auditValue(map[string]any{"etag": d.ETag, "changed_steps": d.Steps, "changed_paths": d.Paths})
	}
	return d, a.note(ctx, e, err)
}

func (a audited) DeleteWorkflow(ctx context.Context, id, match string) error {
	before := etagOf(a.workflowBefore(ctx, id))
	return a.note(ctx, AuditEntry{Action: "deleteWorkflow", Workflow: id, Before: before}, a.Engine.DeleteWorkflow(ctx, id, match))
}

func (a audited) PutStep(ctx context.Context, workflow string, s engine.Step, match string) (*engine.Workflow, error) {
	before := a.workflowBefore(ctx, workflow).Step(s.ID)
	w, err := a.Engine.PutStep(ctx, workflow, s, match)
	return w, a.note(ctx, AuditEntry{Action: "putStep", Workflow: workflow, Subject: s.ID, Before: auditValue(before), After: auditValue(s)}, err)
}

func (a audited) RemoveStep(ctx context.Context, workflow, step, match string) (*engine.Workflow, error) {
	before := a.workflowBefore(ctx, workflow).Step(step)
	w, err := a.Engine.RemoveStep(ctx, workflow, step, match)
	return w, a.note(ctx, AuditEntry{Action: "removeStep", Workflow: workflow, Subject: step, Before: auditValue(before)}, err)
}

func (a audited) PutPath(ctx context.Context, workflow string, p engine.Path, match string) (*engine.Workflow, error) {
	name := cmp.Or(p.ID, p.Source+">"+p.Target)
	before := a.workflowBefore(ctx, workflow).Path(name)
	w, err := a.Engine.PutPath(ctx, workflow, p, match)
	return w, a.note(ctx, AuditEntry{Action: "putPath", Workflow: workflow, Subject: name, Before: auditValue(before), After: auditValue(p)}, err)
}

func (a audited) RemovePath(ctx context.Context, workflow, path, match string) (*engine.Workflow, error) {
	before := a.workflowBefore(ctx, workflow).Path(path)
	w, err := a.Engine.RemovePath(ctx, workflow, path, match)
	return w, a.note(ctx, AuditEntry{Action: "removePath", Workflow: workflow, Subject: path, Before: auditValue(before)}, err)
}

func (a audited) RestoreStep(ctx context.Context, workflow, step, hash string) (*engine.Workflow, []engine.Problem, error) {
	before := a.workflowBefore(ctx, workflow).Step(step)
	w, problems, err := a.Engine.RestoreStep(ctx, workflow, step, hash)
	e := AuditEntry{Action: "restoreStep", Workflow: workflow, Subject: step, Before: auditValue(before)}
	if w != nil {
		e.After = auditValue(w.Step(step))
	}
	return w, problems, a.note(ctx, e, err)
}

func (a audited) StartBatch(ctx context.Context, q engine.BatchRequest) (*engine.Batch, error) {
	b, err := a.Engine.StartBatch(ctx, q)
	e := AuditEntry{Action: "startBatch"}
	if b != nil {
		e.Subject = b.ID
		e.After = auditValue(map[string]any{"action": q.Action, "total": b.Total, "dry_run": q.Options.DryRun, "reason": q.Options.Reason, "filtered": q.Filter != nil, "replayed": b.Replayed})
	}
	return b, a.note(ctx, e, err)
}

func (a audited) StopBatch(ctx context.Context, id, message string) (*engine.Batch, error) {
	b, err := a.Engine.StopBatch(ctx, id, message)
	return b, a.note(ctx, batchEntry("stopBatch", id, b), err)
}

func (a audited) ContinueBatch(ctx context.Context, id string) (*engine.Batch, error) {
	b, err := a.Engine.ContinueBatch(ctx, id)
	return b, a.note(ctx, batchEntry("continueBatch", id, b), err)
}

func (a audited) DeleteBatch(ctx context.Context, id string) error {
	return a.note(ctx, batchEntry("deleteBatch", id, nil), a.Engine.DeleteBatch(ctx, id))
}

func batchEntry(action, id string, b *engine.Batch) AuditEntry {
	e := AuditEntry{Action: action, Subject: id}
	if b != nil {
		e.After = auditValue(map[string]any{"phase": b.Phase, "done": b.Done, "failed": b.Failed, "total": b.Total})
	}
	return e
}
