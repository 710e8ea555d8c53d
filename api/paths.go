package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
)

type addPathIn struct {
	Forced
	AtWorkflow
	Match
	Keyed
	Body Path
}

// AtPath is the address of a path.
type AtPath struct {
	AtWorkflow
	Path string `path:"path" doc:"the path's id, or source>target"`
}

type patchPathIn struct {
	Forced
	AtPath
	Match
	RawBody []byte
}

type removePathIn struct {
	AtPath
	Match
}

// EditedPath is a path after an edit, with who is affected by it.
type EditedPath struct {
	Path     Path     `json:"path"`
	Affected Affected `json:"affected"`
}

type pathOut struct {
	ETag string `header:"ETag" doc:"of the workflow"`
	Body Path
}

type editedPathOut struct {
	ETag string `header:"ETag" doc:"of the workflow after the edit"`
	Body EditedPath
}

func (r *graphRoutes) registerPaths() {
	register(r.routeTable, operation{id: "addPath", method: http.MethodPost, path: "/api/v1/workflows/{workflow}/paths", tag: tagWorkflows, status: http.StatusCreated,
		summary: "Add a path", replay: true,
		problems: []string{"workflow_not_found", "step_not_found", "path_exists", "path_refused", "version_mismatch", "workflow_invalid"}}, r.addPath)
	register(r.routeTable, operation{id: "getPath", method: http.MethodGet, path: "/api/v1/workflows/{workflow}/paths/{path}", tag: tagWorkflows,
		summary: "Read a path as it is stored", problems: []string{"workflow_not_found", "path_not_found"}}, r.getPath)
	register(r.routeTable, operation{id: "patchPath", method: http.MethodPatch, path: "/api/v1/workflows/{workflow}/paths/{path}", tag: tagWorkflows,
		summary: "Change a path", about: "A JSON merge patch (RFC 7396): null removes a property. The ids of the path and of its ends stay; a path that had no stored id keeps its name as one.",
		object: true, objectName: "PropertyPatch", takes: []string{mergePatch},
		problems: []string{"workflow_not_found", "path_not_found", "path_refused", "version_mismatch", "workflow_invalid"}}, r.patchPath)
	register(r.routeTable, operation{id: "removePath", method: http.MethodDelete, path: "/api/v1/workflows/{workflow}/paths/{path}", tag: tagWorkflows,
		summary: "Remove a path", problems: []string{"workflow_not_found", "path_not_found", "version_mismatch"}}, r.removePath)
}

func (r *graphRoutes) getPath(ctx context.Context, in *AtPath) (*pathOut, error) {
	w, err := r.e.Workflow(ctx, in.Workflow)
	if err != nil {
		return nil, err
	}
	path := w.Path(in.Path)
	if path == nil {
		return nil, noSuchPath(w, in.Path)
	}
	return &pathOut{quoteTag(w.ETag()), pathOf(path)}, nil
}

func (r *graphRoutes) addPath(ctx context.Context, in *addPathIn) (*editedPathOut, error) {
	var before, after *engine.Workflow
	err := r.edit(ctx, in.Workflow, in.tag(), func(w *engine.Workflow, match string) (err error) {
		before = w
		if in.Body.ID != "" && w.Path(in.Body.ID) != nil {
			return fmt.Errorf("%w: %q in workflow %q", errPathExists, in.Body.ID, in.Workflow)
		}
		path := in.Body.definition(nil)
		if reason := formats.Refuses(w, &path); reason != "" {
			return fmt.Errorf("%w: %s", errPathRefused, reason)
		}
		if err := r.check(w, withPath(w, "", path), in.Force); err != nil {
			return err
		}
		after, err = r.e.PutPath(ctx, in.Workflow, path, match)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.editedPath(ctx, after, added(before, after, in.Body.ID))
}

func (r *graphRoutes) patchPath(ctx context.Context, in *patchPathIn) (*editedPathOut, error) {
	var after *engine.Workflow
	err := r.edit(ctx, in.Workflow, in.tag(), func(w *engine.Workflow, match string) error {
		before := w.Path(in.Path)
		if before == nil {
			return noSuchPath(w, in.Path)
		}
		patched, err := patch(r.routeTable, pathOf(before), in.RawBody)
		if err != nil {
			return err
		}
		if f := moved(before, patched); len(f) > 0 {
			return problem("request_invalid", "", f...)
		}
		path := patched.definition(before)
		if _, reason := formats.RefusesChange(w, withPath(w, in.Path, path)); reason != "" {
			return fmt.Errorf("%w: %s", errPathRefused, reason)
		}
		if err := r.check(w, withPath(w, in.Path, path), in.Force); err != nil {
			return err
		}
		after, err = r.e.PutPath(ctx, in.Workflow, path, match)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.editedPath(ctx, after, after.Path(in.Path))
}

// moved names what no edit of a path changes: a relationship cannot be turned.
func moved(before *engine.Path, p *Path) []Fault {
	var out []Fault
	for _, same := range []struct{ pointer, was, is string }{
		{"/id", before.ID, p.ID}, {"/kind", string(before.Kind), p.Kind},
		{"/source", before.Source, p.Source}, {"/target", before.Target, p.Target},
	} {
		if same.was != same.is {
			out = append(out, Fault{Pointer: same.pointer, Message: "cannot be changed; add a path and remove this one"})
		}
	}
	return out
}

func (r *graphRoutes) removePath(ctx context.Context, in *removePathIn) (*removedOut, error) {
	var source string
	var after *engine.Workflow
	err := r.edit(ctx, in.Workflow, in.tag(), func(w *engine.Workflow, match string) (err error) {
		p := w.Path(in.Path)
		if p == nil {
			return noSuchPath(w, in.Path)
		}
		source = p.Source
		after, err = r.e.RemovePath(ctx, in.Workflow, in.Path, match)
		return err
	})
	if err != nil {
		return nil, err
	}
	affected, err := r.affected(ctx, in.Workflow, source)
	if err != nil {
		return nil, err
	}
	return &removedOut{quoteTag(after.ETag()), Removed{affected}}, nil
}

// added finds the path that is new: by its id, else as the one whose handle in the store
// was not there before.
func added(before, after *engine.Workflow, id string) *engine.Path {
	if p := after.Path(id); p != nil && p.Stored {
		return p
	}
	known := map[string]bool{}
	for i := range before.Paths {
		known[before.Paths[i].Ref] = true
	}
	for i := range after.Paths {
		if !known[after.Paths[i].Ref] {
			return &after.Paths[i]
		}
	}
	return nil
}

func (r *graphRoutes) editedPath(ctx context.Context, w *engine.Workflow, p *engine.Path) (*editedPathOut, error) {
	if p == nil {
		return nil, fmt.Errorf("a path is not in workflow %q after it was written", w.ID)
	}
	affected, err := r.affected(ctx, w.ID, p.Source)
	if err != nil {
		return nil, err
	}
	return &editedPathOut{quoteTag(w.ETag()), EditedPath{pathOf(p), affected}}, nil
}

func noSuchPath(w *engine.Workflow, path string) error {
	e := &engine.DetailError{Err: engine.ErrPathNotFound, Detail: fmt.Sprintf("%q in workflow %q", path, w.ID)}
	for i := range w.Paths {
		e.Exists = append(e.Exists, w.Paths[i].ID)
	}
	return e
}
