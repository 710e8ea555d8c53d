package cypher

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sort"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
)

// readWorkflows reads the workflows of the ids once, as the next read of a chain. Steps without
// workflow that the read meets are filed under the workflow they were reached from, and then
// the read is made again.
func readWorkflows(ctx context.Context, c *chain, ids []string, entries map[string][]string) (map[string]*graph.Workflow, error) {
	var found map[string]*workflowRows
	err := readAdopting(ctx, c.db.log, func() (strays []any, err error) {
		rows, err := c.read(ctx, queryDefinition, definitionParams(ids, entries))
		if err != nil {
			return nil, err
		}
		found, strays = graphsFrom(rows)
		return strays, nil
	}, func(strays []any) error {
		_, err := c.db.write(ctx, queryStepsAdopt, params{"steps": strays})
		return err
	})
	return workflowsOf(found), err
}

func workflowsOf(found map[string]*workflowRows) map[string]*graph.Workflow {
	list := make(map[string]*graph.Workflow, len(found))
	for id, g := range found {
		list[id] = g.workflow()
	}
	return list
}

// definitionParams asks for the steps without workflow by `root` and the entries.
func definitionParams(ids []string, entries map[string][]string) params {
	wanted := []string{}
	if slices.Contains(ids, graph.DefaultWorkflow) {
		wanted = append(wanted, graph.DefaultEntry)
		wanted = append(wanted, entries[graph.DefaultWorkflow]...)
	}
	return params{"ids": slices.Compact(slices.Sorted(slices.Values(ids))), "entries": wanted}
}

// readAdopting repeats read and adopt until no step without workflow is met. Somebody may
// paste more of them at the same time, so there is a bound.
func readAdopting(ctx context.Context, log *slog.Logger, read func() ([]any, error), adopt func([]any) error) error {
	for range 5 {
		strays, err := read()
		if err != nil || len(strays) == 0 {
			return err
		}
		log.Info("steps without workflow are filed where paths lead to them from", "from", len(strays))
		if err := adopt(strays); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// A workflowRows is one workflow as the database returned it.
type workflowRows struct {
	id    string
	node  properties // of the WORKFLOW node; nil without one
	steps []stepRow
}

type stepRow struct {
	ref        string
	properties properties
	paths      []any
}

// graphsFrom sorts rows by workflow and returns where steps without workflow were met: the
// handle and workflow of the step that a path leads to one from, which is one of the rows while
// the step itself may be none. Adoption goes on from there.
func graphsFrom(rows []row) (map[string]*workflowRows, []any) {
	found := map[string]*workflowRows{}
	var strays []any
	for _, r := range rows {
		id := r.text("workflow")
		g := found[id]
		if g == nil && r.text("kind") != "stray" {
			g = &workflowRows{id: id}
			found[id] = g
		}
		switch r.text("kind") {
		case "workflow":
			g.node = r.properties("properties")
		case "step":
			step := stepRow{r.text("ref"), r.properties("properties"), r.list("paths")}
			g.steps = append(g.steps, step)
			if step.meetsStray() {
				strays = append(strays, strayFrom(step.ref, id))
			}
		case "stray":
			strays = append(strays, strayFrom(r.text("ref"), id))
		}
	}
	return found, strays
}

func strayFrom(ref, workflow string) any {
	return map[string]any{"ref": ref, "workflow": workflow}
}

func (s *stepRow) meetsStray() bool {
	return slices.ContainsFunc(s.paths, func(v any) bool {
		path, _ := v.([]any)
		return len(path) == 5 && path[3] == nil
	})
}

// workflow builds the engine's form of the graph.
func (g *workflowRows) workflow() *graph.Workflow {
	w := &graph.Workflow{ID: g.id}
	g.describe(w)
	sort.Slice(g.steps, func(i, j int) bool { return g.steps[i].ref < g.steps[j].ref })
	seen := map[string]bool{}
	for i := range g.steps {
		g.addStep(w, &g.steps[i], seen)
	}
	w.Normalize()
	return w
}

func (g *workflowRows) addStep(w *graph.Workflow, r *stepRow, seen map[string]bool) {
	step, problems := graph.StepFromProperties(plainProperties(r.properties))
	w.Problems = append(w.Problems, problems...)
	switch {
	case step.ID == "":
		w.Problems = append(w.Problems, function.Problem{Level: "error", Code: "step_without_id",
			Message: "a STEP of this workflow has no id and cannot run: set its property id, or delete it"})
		return
	case seen[step.ID]:
		w.Problems = append(w.Problems, function.Problem{Level: "error", Code: "duplicate_step", Step: step.ID,
			Message: fmt.Sprintf("several STEPs of this workflow have the id %q: one of them is used; rename or delete the others", step.ID)})
		return
	}
	seen[step.ID] = true
	w.Steps = append(w.Steps, step)
	for _, v := range r.paths {
		if path, ok := v.([]any); ok && len(path) == 5 {
			g.addPath(w, step.ID, path)
		}
	}
}

// addPath reads [kind, ref, target, target's workflow, properties].
func (g *workflowRows) addPath(w *graph.Workflow, source string, v []any) {
	target := asText(v[2])
	if target == "" {
		w.Problems = append(w.Problems, function.Problem{Level: "error", Code: "path_without_target", Step: source,
			Message: "a path leads from this step to a STEP without id: set that step's property id, or delete the path"})
		return
	}
	known, _ := v[4].(map[string]any)
	path, problems := graph.PathFromProperties(graph.PathKind(asText(v[0])), source, target, plainProperties(known))
	w.Problems = append(w.Problems, problems...)
	path.Ref = asText(v[1])
	if workflow := asText(v[3]); workflow != g.id {
		path.TargetWorkflow = workflow
	}
	w.Paths = append(w.Paths, path)
}

// describe reads the WORKFLOW node.
func (g *workflowRows) describe(w *graph.Workflow) {
	extra := plainProperties(g.node)
	w.Name, w.Description = g.node.text("name"), g.node.text("description")
	delete(extra, "id")
	delete(extra, "name")
	delete(extra, "description")
	if text := g.node.text("settings"); text != "" {
		if err := json.Unmarshal([]byte(text), &w.Settings); err != nil {
			w.Problems = append(w.Problems, function.Problem{Level: "error", Code: "property_type",
				Message: "property settings is not the JSON text of settings: it is kept but not used: " + err.Error()})
		} else {
			delete(extra, "settings")
		}
	}
	if len(extra) > 0 {
		w.Extra = extra
	}
}
