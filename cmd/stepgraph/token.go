package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine"
)

// tokensFile is where the tokens of a store are; "" for a store in memory.
func (l *local) tokensFile(store string) string {
	return l.fileBeside(store, "tokens", l.env("STEPGRAPH_TOKENS"))
}

// fileBeside is where a private file of a store is: the given name, else beside an embedded
// store, else in the folder of dev. It is "" for a store in memory, which keeps nothing.
func (l *local) fileBeside(store, what, given string) string {
	kind, file, err := kindOfStore(l.config.address(store))
	switch {
	case given != "":
		return given
	case err != nil || kind == storeMemory:
		return ""
	case kind == storeSQLite:
		return file + "." + what
	}
	return filepath.Join(l.dir, what)
}

// openTokens opens the tokens of a store for serving. It returns nil where requests need
// none: no --token was given and no token has been made.
func (l *local) openTokens(store, given string) (*access.File, error) {
	name := l.tokensFile(store)
	if name == "" {
		return nil, nil
	}
	file, err := access.Open(name)
	if err != nil {
		return nil, err
	}
	if made, err := file.List(); err != nil || given == "" && len(made) == 0 {
		return nil, err
	}
	return file, nil
}

func (cmd *tokenCommands) tokenCommand() *cobra.Command {
	return group("token", "Makes, lists and revokes tokens, by which people and programs use a server",
		cmd.tokenCreateCommand(), cmd.tokenListCommand(), cmd.tokenRevokeCommand())
}

// onTokens is a command on the tokens of a store. It works on their file, which running
// servers read again by themselves.
func (cmd *tokenCommands) onTokens(use, short string, args cobra.PositionalArgs, do func(f *access.File, args []string) error) *cobra.Command {
	flags := &settingFlags{}
	c := &cobra.Command{Use: use, Short: short, Args: want(args), RunE: func(_ *cobra.Command, args []string) error {
		set, err := cmd.settings(flags)
		if err != nil {
			return err
		}
		name := cmd.local.tokensFile(first(set.store, cmd.local.devStore()))
		if name == "" {
			return usagef("a store in memory has no tokens: give --store, or $STEPGRAPH_TOKENS")
		}
		file, err := access.Open(name)
		if err != nil {
			return err
		}
		return do(file, args)
	}}
	flags.register(c.Flags())
	return c
}

func (cmd *tokenCommands) tokenCreateCommand() *cobra.Command {
	var scopes []string
	var expires, bytes string
	var quota access.Quota
	var limit access.Limit
	c := cmd.onTokens("create NAME", "Makes a token and prints it, once", cobra.ExactArgs(1), func(f *access.File, args []string) error {
		lifetime := time.Duration(0)
		if expires != "" {
			var err error
			if lifetime, err = engine.ParseDuration(expires); err != nil {
				return usagef("--expires: %s", err)
			}
		}
		var err error
		if quota.Bytes, err = parseSize(bytes); err != nil {
			return usagef("--bytes-per-hour: %s", err)
		}
		text, token, err := f.Make(access.Wish{Name: args[0], Scopes: scopes, Lifetime: lifetime, Quota: quota, Limit: limit})
		if err != nil {
			return err
		}
		if cmd.json() {
			return cmd.printJSON(map[string]any{"token": text, "name": token.Name, "scopes": token.Scopes, "expires_at": token.ExpiresAt, "quota": token.Quota, "limit": token.Limit})
		}
		cmd.print("%s", text)
		cmd.say("this is shown once; servers started with --token, or from now on, take it")
		return nil
	})
	c.Flags().StringSliceVar(&scopes, "scope", nil, "what it may do: "+strings.Join(access.Scopes, ", ")+"; may be repeated")
	c.Flags().StringSliceVar(&limit.Workflows, "workflow", nil, "workflow that it reaches, and no other; 'shop.*' for all that begin so; may be repeated")
	c.Flags().StringToStringVar(&limit.Labels, "label", nil, "name=value: it reaches only sessions with this label, and those it starts have it; may be repeated")
	c.Flags().StringVar(&expires, "expires", "", "after how long it ends, such as 720h; never without")
	c.Flags().Float64Var(&quota.Requests, "requests-per-second", 0, "how many requests it may send; no bound without")
	c.Flags().IntVar(&quota.Sessions, "sessions-per-hour", 0, "how many sessions it may start; no bound without")
	c.Flags().StringVar(&bytes, "bytes-per-hour", "", "how much it may send, such as 100MB; no bound without")
	return c
}

func (cmd *tokenCommands) tokenListCommand() *cobra.Command {
	return cmd.onTokens("list", "Lists tokens, without their texts", cobra.NoArgs, func(f *access.File, _ []string) error {
		all, err := f.List()
		if err != nil {
			return err
		}
		rows := make([][]any, len(all))
		shown := make([]map[string]any, len(all))
		for i, t := range all {
			expires := "never"
			if !t.ExpiresAt.IsZero() {
				expires = t.ExpiresAt.Format(time.RFC3339)
			}
			rows[i] = []any{t.Name, strings.Join(t.Scopes, " "), limitText(t.Limit), t.CreatedAt.Format(time.RFC3339), expires}
			shown[i] = map[string]any{"name": t.Name, "scopes": t.Scopes, "created_at": t.CreatedAt, "expires_at": t.ExpiresAt, "quota": t.Quota, "limit": t.Limit}
		}
		if cmd.json() {
			return cmd.printJSON(map[string]any{"items": shown})
		}
		return cmd.table("TOKEN\tSCOPES\tLIMIT\tCREATED\tEXPIRES", rows)
	})
}

func (cmd *tokenCommands) tokenRevokeCommand() *cobra.Command {
	return cmd.onTokens("revoke NAME", "Ends a token at once", cobra.ExactArgs(1), func(f *access.File, args []string) error {
		if err := f.Revoke(args[0]); err != nil {
			return err
		}
		if cmd.json() {
			return cmd.printJSON(map[string]any{"revoked": args[0]})
		}
		cmd.print("token %s is revoked", args[0])
		return nil
	})
}

// limitText is a limit as it was given; "-" for none.
func limitText(l access.Limit) string {
	parts := slices.Clone(l.Workflows)
	for _, name := range slices.Sorted(maps.Keys(l.Labels)) {
		parts = append(parts, name+"="+l.Labels[name])
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, " ")
}
