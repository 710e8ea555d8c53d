package main

import "github.com/spf13/cobra"

// A commandSet is every group, over the same app.
type commandSet struct {
	serve      *serveCommands
	run        *runCommands
	load       *loadCommands
	workflow   *workflowCommands
	session    *sessionCommands
	batch      *batchCommands
	setting    *settingCommands
	eval       *evalCommands
	token      *tokenCommands
	operating  *operatingCommands
	completion *completion
}

func newCommandSet(a *app) *commandSet {
	l := &local{a}
	h := &host{app: a, local: l}
	s := &engineFinder{a, l, h}
	files := &sources{a}
	load := &loadCommands{a, h, s, files}
	return &commandSet{
		serve:      &serveCommands{a, l, h, s, load},
		run:        &runCommands{a, h, s, files},
		load:       load,
		workflow:   &workflowCommands{a, s, files},
		session:    &sessionCommands{a, s},
		batch:      &batchCommands{a, s},
		setting:    &settingCommands{a, s},
		eval:       &evalCommands{a, s},
		token:      &tokenCommands{a, l},
		operating:  &operatingCommands{a, l, h, s},
		completion: &completion{a, s},
	}
}

// commands is the list of all commands, in the order of the help text.
func (c *commandSet) commands() []*cobra.Command {
	return []*cobra.Command{
		c.run.runCommand(),
		c.serve.devCommand(),
		c.serve.serveCommand(),
		c.session.sessionCommand(),
		c.run.stepCommand(),
		c.batch.batchCommand(),
		c.session.awaitingCommand(),
		c.session.countCommand(),
		c.workflow.workflowCommand(),
		c.load.loadCommand(),
		c.workflow.exportCommand(),
		c.workflow.listCommand(),
		c.workflow.showCommand(),
		c.load.validateCommand(),
		c.load.functionsCommand(),
		c.load.schemaCommand(),
		c.setting.profileCommand(),
		c.setting.variableCommand(),
		c.setting.secretCommand(),
		c.token.tokenCommand(),
		c.operating.auditCommand(),
		c.eval.evalCommand(),
		c.operating.migrateCommand(),
		c.operating.doctorCommand(),
		c.operating.enginesCommand(),
		c.operating.pruneCommand(),
		c.operating.benchCommand(),
		c.workflow.openCommand(),
		c.session.mcpCommand(),
		c.operating.versionCommand(),
	}
}
