package main

import (
	"context"
	"net/url"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
)

func (cmd *workflowCommands) openCommand() *cobra.Command {
	to := &engineFlags{}
	var only bool
	c := &cobra.Command{Use: "open [WORKFLOW|SESSION]", Short: "Opens the page of the running engine in a browser",
		Long: "open prints the address of the page, or of a workflow's or session's place on it, and opens it in a browser.",
		Args: want(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return cmd.engines.with(c.Context(), to, func(s *client.Client) error {
				address, err := cmd.pageOf(c.Context(), s, args)
				if err != nil {
					return err
				}
				cmd.print("%s", address)
				if only || !isTerminal(cmd.out) {
					return nil
				}
				return openBrowser(address)
			})
		}}
	to.register(c)
	c.Flags().BoolVar(&only, "print", false, "only print the address")
	return c
}

// pageOf is the address of the page, or of what a word names on it.
func (cmd *workflowCommands) pageOf(ctx context.Context, s *client.Client, args []string) (string, error) {
	if s.Local() {
		return "", notFoundf("no engine runs here, so there is no page: start one with stepgraph dev")
	}
	if len(args) == 0 {
		return s.Where() + "/", nil
	}
	if _, err := s.Workflow(ctx, args[0]); err == nil {
		return s.Where() + "/workflows/" + url.PathEscape(args[0]), nil
	}
	session, err := s.Session(ctx, args[0])
	if err != nil {
		return "", notFoundf("%q is neither a workflow nor a session", args[0])
	}
	return s.Where() + "/sessions/" + url.PathEscape(session.ID), nil
}

// openBrowser starts what opens addresses on this system and does not wait for it.
func openBrowser(address string) error {
	command := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", address}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	return exec.Command(command[0], command[1:]...).Start()
}
