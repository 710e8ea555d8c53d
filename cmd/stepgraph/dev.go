package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/sqlite"
)

type devOptions struct {
	serveOptions
	watch string
	force bool
	neo4j bool
}

func (cmd *serveCommands) devCommand() *cobra.Command {
	o := &devOptions{}
	c := &cobra.Command{Use: "dev", Short: "Serves Studio, the API and the processor for development, on a store in ./.stepgraph",
		Long: "dev serves the API and runs sessions. Its store is a file in ./.stepgraph, or a real Neo4j with\n" +
			"--neo4j: the one that $NEO4J_URI names, else one started by Docker, else one started from its Java\n" +
			"artifacts. Example workflows are loaded if they are absent. Other commands in this folder find the server.\n\n" +
			"Without a token every program on this machine may read workflows and sessions, start sessions and answer.\n" +
			"Everything else needs the token that dev writes to ./.stepgraph/token: commands in this folder send it,\n" +
			"and Studio gets it from the link that dev prints, which works once. With --open no token is needed.",
		Args: want(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.dev(c.Context(), o) }}
	o.serveOptions.register(c, true)
	o.settingFlags.register(c.Flags())
	c.Flags().StringVar(&o.watch, "watch", "", "folder whose workflow files are loaded now and whenever they change")
	c.Flags().BoolVar(&o.force, "force", false, "with --watch: load files even if they have errors; the errors are printed")
	c.Flags().BoolVar(&o.open, "open", false, "require no token: every user, program and browser page on this machine may do everything, as clients of other systems may need")
	c.Flags().BoolVar(&o.neo4j, "neo4j", false, "run on a real Neo4j")
	return c
}

func (cmd *serveCommands) dev(ctx context.Context, o *devOptions) (err error) {
	set, err := cmd.settings(&o.settingFlags)
	if err != nil {
		return err
	}
	if o.neo4j && o.set.store != "" {
		return usagef("--neo4j and --store exclude one another")
	}
	if held, err := sqlite.Holder(cmd.local.devFile()); err == nil && held != nil && set.store == "" && !o.neo4j {
		return held
	}
	s, err := cmd.serve(&o.serveOptions)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.on.close(), s.audit.close()) }()
	if err := s.requireToken(); err != nil {
		return fmt.Errorf("the token of this folder: %w", err)
	}
	database, stop, err := cmd.devDatabase(ctx, o, &set)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if database != nil {
		s.browser = database.BrowserURL
	}
	cmd.host.warnOfIsolation(set)
	own, err := cmd.host.openLocal(ctx, localOptions{settings: set, serving: s.on.address()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop(), own.Close()) }()
	if err := loadSeeds(ctx, own); err != nil {
		return err
	}
	watcher, err := cmd.watchFolder(ctx, own.client, o.watch, o.force)
	if err != nil {
		return err
	}
	removeAddress, err := cmd.local.announce(s.on.address()) // before the API answers: who waits for it then finds its token
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeAddress()) }()
	if err := s.up(ctx, own, set.store); err != nil {
		return err
	}
	if err := cmd.printWelcome(ctx, s, own, set, database); err != nil {
		return err
	}
	go watcher.run(ctx)
	return s.wait(ctx, own)
}

// devDatabase decides where dev keeps its data, and starts a Neo4j if asked to.
func (cmd *serveCommands) devDatabase(ctx context.Context, o *devOptions, set *settings) (*neo4jserver.Server, func() error, error) {
	nothing := func() error { return nil }
	if !o.neo4j {
		set.store = cmp.Or(set.store, cmd.local.devStore())
		return nil, nothing, nil
	}
	cmd.printErr("looking for Neo4j; the first start may fetch it")
	server, err := neo4jserver.Start(ctx, neo4jserver.Options{Dir: filepath.Join(cmd.dir, "neo4j"), Log: cmd.log})
	if err != nil {
		return nil, nothing, err
	}
	set.store = withUser(server)
	return server, func() error { return server.Stop(context.WithoutCancel(ctx)) }, nil
}

// withUser is a server's address with what is needed to log in.
func withUser(server *neo4jserver.Server) string {
	u, err := url.Parse(server.URI)
	if err != nil || server.Username == "" {
		return server.URI
	}
	u.User = url.UserPassword(server.Username, server.Password)
	if server.Database != "" {
		u.Path = "/" + server.Database
	}
	return u.String()
}

// printWelcome prints where everything is and what to type next.
func (cmd *serveCommands) printWelcome(ctx context.Context, s *serving, own *localEngine, set settings, database *neo4jserver.Server) error {
	list, err := own.client.Workflows(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].ID
	}
	if cmd.json() {
		return cmd.printJSON(map[string]any{"address": s.on.address(), "store": own.Where(), "model": own.catalog.Default(), "workflows": names, "sign_in": s.link()})
	}
	if link := s.link(); link != "" {
		cmd.print("studio     %s (open it in a browser: it signs in, once)", link)
	}
	cmd.print("address    %s", s.on.address())
	cmd.print("store      %s", own.Where())
	if database != nil && database.BrowserURL != "" {
		cmd.print("browser    %s", database.BrowserURL)
	}
	cmd.print("model      %s", modelNote(own.catalog.Default(), set))
	cmd.print("workflows  %s", strings.Join(names, ", "))
	cmd.print("")
	cmd.print("In another terminal, in this folder:")
	cmd.print("  stepgraph run conversation")
	cmd.print("  curl -s '%s/api/v1/sessions?wait=10s' -H 'Content-Type: application/json' -d '{\"workflow\":\"hello\"}'", s.on.address())
	return nil
}

// link is where a browser signs in; "" where it need not.
func (s *serving) link() string {
	if s.signIn == nil {
		return ""
	}
	return s.on.address() + s.signIn.link()
}

func modelNote(name string, set settings) string {
	if name != models.Script {
		return name
	}
	if set.script != "" {
		return fmt.Sprintf("%s (replies of %s)", name, set.script)
	}
	return name + " (recorded lines; --model openai asks a real one, with $OPENAI_API_KEY)"
}
