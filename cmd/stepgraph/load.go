package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
)

func (cmd *loadCommands) loadCommand() *cobra.Command {
	to := engineFlags{judges: true}
	var options loadOptions
	c := &cobra.Command{Use: "load FILE|DIR...", Short: "Puts workflows of files into the graph",
		Long: "load makes each workflow in the store the one of the file and prints what changed. It runs nothing.\n" +
			"Errors and warnings are FILE:LINE:COL: text on stderr, in the order of the files. A workflow with an error is not\n" +
			"loaded unless --force is given, and none of the other FILEs either. The files of a DIR are loaded one by one:\n" +
			"those with errors are reported, the others are loaded, and the exit code is 1.\n" +
			"With --move-secrets the tokens that stand in the files become secrets, which only go to the hosts they were meant for.\n" +
			"With --with-state the state that a file of NebulaFlow carries becomes a session, which goes on from there.",
		Args: want(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return cmd.loadFiles(c.Context(), &to, args, options)
		}}
	to.register(c)
	c.Flags().StringVar(&options.workflow, "workflow", "", "name of the workflow; the file's name by default")
	c.Flags().BoolVar(&options.state, "with-state", false, "start a session from the state that comes with a file, where its format keeps one")
	c.Flags().BoolVar(&options.force, "force", false, "load workflows even if they have errors; the errors are printed")
	c.Flags().BoolVar(&options.move, "move-secrets", false, "store tokens that stand in the files as secrets, and their names in the workflows")
	c.Flags().BoolVar(&options.merge, "merge", false, "add to what is stored and let later steps of the same id replace earlier ones")
	return c
}

// loadOptions are the flags of load.
type loadOptions struct {
	workflow string
	merge    bool
	force    bool
	places   positions // where steps and paths stand in the files
	state    bool
	move     bool // credentials become secrets
	separate bool // the files of a folder: the faults of one do not keep the others from being loaded
	broken   bool // some files could not be read and are left out
}

// loadFiles reads files and folders and stores their workflows.
func (cmd *loadCommands) loadFiles(ctx context.Context, to *engineFlags, names []string, o loadOptions) error {
	read, err := cmd.sources.readFiles(names)
	if err != nil {
		return cmd.sources.faults(err)
	}
	o.separate = o.workflow == "" && slices.ContainsFunc(names, isFolder)
	o.broken = len(read.faults) > 0
	if o.broken {
		failed := cmd.sources.faults(errors.Join(read.faults...))
		if !o.separate || len(read.sources) == 0 {
			return failed
		}
	}
	for _, n := range cmd.host.openWarnings(to, read.notes) {
		cmd.printErr("%s", n)
	}
	o.places = positionsOf(read.sources, o.workflow)
	workflows, err := mergeSources(read.sources, o)
	if err != nil {
		return cmd.sources.faults(err)
	}
	var moved movedSecrets
	if o.move {
		if moved, err = cmd.moveSecrets(to, workflows); err != nil {
			return cmd.sources.faults(err)
		}
	}
	to.create = true
	return cmd.engines.with(ctx, to, func(s *client.Client) error {
		refused, err := cmd.load(ctx, s, workflows, moved, o)
		if err != nil {
			return err
		}
		if o.state {
			if err := cmd.startSaved(ctx, s, withoutRefused(read.sources, refused), o.workflow); err != nil {
				return err
			}
		}
		if o.broken || len(refused) > 0 {
			return ended(exitFailed)
		}
		return nil
	})
}

// withoutRefused leaves out the sources of workflows that were not stored.
func withoutRefused(sources []source, refused map[string]bool) []source {
	return slices.DeleteFunc(slices.Clone(sources), func(s source) bool { return refused[s.workflow.ID] })
}

// mergeSources makes one workflow of all sources that belong to it. Two steps of one id are
// refused without merge: two roots most of all, as one of them could never run.
func mergeSources(sources []source, o loadOptions) ([]*engine.Workflow, error) {
	var order []*engine.Workflow
	at := map[string]*engine.Workflow{}
	from := map[string]string{} // workflow and step: FILE:LINE
	var faults []error
	for _, s := range sources {
		id := s.workflow.ID
		if o.workflow != "" {
			id = o.workflow
		}
		into := at[id]
		if into == nil {
			into = &engine.Workflow{ID: id}
			at[id] = into
			order = append(order, into)
		}
		faults = append(faults, s.addTo(into, o.merge, from)...)
	}
	return order, errors.Join(faults...)
}

// addTo adds a source to a workflow and returns the steps that are there already.
func (s *source) addTo(into *engine.Workflow, merge bool, from map[string]string) []error {
	var faults []error
	for _, step := range s.workflow.Steps {
		key := into.ID + "\x00" + step.ID
		place := fmt.Sprintf("%s:%d", s.file, max(s.lines.Steps[step.ID], 1))
		step.Workflow = into.ID
		old := into.Step(step.ID)
		switch {
		case old == nil:
			into.Steps = append(into.Steps, step)
		case merge:
			*old = step
		default:
			faults = append(faults, fmt.Errorf("%s:1: workflow %s has step %q already, from %s; --merge lets the later one win, --workflow NAME keeps them apart",
				place, into.ID, step.ID, from[key]))
		}
		from[key] = place
	}
	for _, p := range s.workflow.Paths {
		if p.TargetWorkflow == s.workflow.ID {
			p.TargetWorkflow = ""
		}
		into.Paths = append(into.Paths, p)
	}
	describe(into, s.workflow)
	return faults
}

// describe takes over what a WORKFLOW node says.
func describe(into, from *engine.Workflow) {
	into.Name = cmp.Or(from.Name, into.Name)
	into.Description = cmp.Or(from.Description, into.Description)
	if !from.Settings.IsZero() {
		into.Settings = from.Settings
	}
	if into.Extra == nil {
		into.Extra = from.Extra
	}
}

// load stores workflows and prints the differences. All of them are tried first: an error in
// one keeps the others from being stored too, unless they are loaded apart. It returns the
// workflows that were not stored.
func (cmd *loadCommands) load(ctx context.Context, s *client.Client, workflows []*engine.Workflow, moved movedSecrets, o loadOptions) (map[string]bool, error) {
	for _, w := range workflows {
		if !o.merge {
			continue
		}
		if err := mergeStored(ctx, s, w); err != nil {
			return nil, err
		}
	}
	refused, err := cmd.checkAll(ctx, s, workflows, o)
	if err != nil {
		return nil, err
	}
	if len(refused) > 0 && !o.separate {
		cmd.printErr("nothing was loaded; correct the errors, or load with --force")
		return nil, ended(exitFailed)
	}
	for _, w := range workflows {
		if refused[w.ID] {
			cmd.printErr("workflow %s was not loaded; correct the errors, or load with --force", w.ID)
			continue
		}
		if err := cmd.storeSecrets(ctx, s, moved[w.ID]); err != nil {
			return nil, err
		}
		diff, err := s.Put(ctx, w, engine.PutOptions{Force: o.force})
		if err != nil {
			return nil, fmt.Errorf("load workflow %s: %w", w.ID, err)
		}
		if err := cmd.printDifference(diff); err != nil {
			return nil, err
		}
	}
	return refused, nil
}

// checkAll reports everything that is wrong with workflows and returns those that must not be stored.
// When a file could not be read, that includes a workflow that would lose steps: they may stand in
// that file.
func (cmd *loadCommands) checkAll(ctx context.Context, s *client.Client, workflows []*engine.Workflow, o loadOptions) (map[string]bool, error) {
	var found []locatedProblem
	refused := map[string]bool{}
	for _, w := range workflows {
		diff, err := s.Put(ctx, w, engine.PutOptions{Force: o.force, DryRun: true})
		var invalid *engine.DetailError
		switch {
		case errors.As(err, &invalid) && len(invalid.Problems) > 0:
			refused[w.ID] = true
			found = append(found, o.places.of(w.ID, invalid.Problems)...)
		case err != nil:
			return nil, fmt.Errorf("load workflow %s: %w", w.ID, err)
		default:
			found = append(found, o.places.of(w.ID, diff.Problems)...)
			if lost := diff.Steps.Removed; o.broken && len(lost) > 0 {
				refused[w.ID] = true
				cmd.printErr("workflow %s would lose the step %q, which may stand in a file that could not be read", w.ID, lost[0])
			}
		}
	}
	inFileOrder(found)
	for i := range found {
		cmd.printErr("%s", found[i])
	}
	return refused, nil
}

// mergeStored adds what is stored and not in the files.
func mergeStored(ctx context.Context, s *client.Client, w *engine.Workflow) error {
	old, err := s.Workflow(ctx, w.ID)
	if errors.Is(err, engine.ErrWorkflowNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	given := map[string]bool{}
	for i := range w.Steps {
		given[w.Steps[i].ID] = true
	}
	for _, step := range old.Steps {
		if !given[step.ID] {
			w.Steps = append(w.Steps, step)
		}
	}
	for _, p := range old.Paths {
		if !given[p.Source] { // a step of the file brings its own paths
			w.Paths = append(w.Paths, p)
		}
	}
	describeStored(w, old)
	return nil
}

func describeStored(w, old *engine.Workflow) {
	w.Name = cmp.Or(w.Name, old.Name)
	w.Description = cmp.Or(w.Description, old.Description)
	if w.Settings.IsZero() {
		w.Settings = old.Settings
	}
	if w.Extra == nil {
		w.Extra = old.Extra
	}
}

func (cmd *loadCommands) printDifference(d *engine.Difference) error {
	if cmd.json() {
		return cmd.printJSON(d)
	}
	if d.Empty() {
		cmd.print("%s: nothing changed", d.Workflow)
		return nil
	}
	cmd.print("%s: %s; %s", d.Workflow, changesText("step", d.Steps), changesText("path", d.Paths))
	for _, c := range []struct {
		sign string
		ids  []string
	}{{"+", d.Steps.Added}, {"~", d.Steps.Changed}, {"-", d.Steps.Removed}, {"+", d.Paths.Added}, {"~", d.Paths.Changed}, {"-", d.Paths.Removed}} {
		for _, id := range c.ids {
			cmd.print("  %s %s", c.sign, id)
		}
	}
	return nil
}

func changesText(noun string, c engine.Changes) string {
	return fmt.Sprintf("%ss: %d added, %d changed, %d removed", noun, len(c.Added), len(c.Changed), len(c.Removed))
}

// wantedAlias is what a warning about a model says to write into the configuration.
var wantedAlias = regexp.MustCompile(`"aliases": \{"([^"]+)": "([^"/]+)/`)

// openWarnings leaves out warnings about models that the configuration already gives to the provider
// that the flow names.
func (h *host) openWarnings(to *engineFlags, notes []locatedProblem) []locatedProblem {
	set, err := h.settings(&to.settingFlags)
	if err != nil {
		return notes
	}
	catalog, err := h.catalog(set, nil, nil)
	if err != nil {
		return notes // a key is missing, for example: running the flow says so
	}
	return slices.DeleteFunc(slices.Clone(notes), func(n locatedProblem) bool {
		wanted := wantedAlias.FindStringSubmatch(n.Message)
		return n.Code == "model_choice" && wanted != nil && catalog.ProviderOf(wanted[1]) == wanted[2]
	})
}
