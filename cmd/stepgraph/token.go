package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepgraph/stepgraph/access"
	"github.com/stepgraph/stepgraph/engine/function"
)

func (cmd *tokenCommands) tokenCommand() *cobra.Command {
	return group("token", "Creates, lists and revokes access tokens",
		cmd.tokenCreateCommand(), cmd.tokenListCommand(), cmd.tokenRevokeCommand())
}

// onTokens is a command on the tokens of a store. It works on their file, which running
// servers reload.
func (cmd *tokenCommands) onTokens(use, short string, args cobra.PositionalArgs, do func(f *access.File, args []string) error) *cobra.Command {
	flags := &settingFlags{}
	c := &cobra.Command{Use: use, Short: short, Args: want(args), RunE: func(_ *cobra.Command, args []string) error {
		set, err := cmd.settings(flags)
		if err != nil {
			return err
		}
		name := cmd.local.tokensFile(cmp.Or(set.store, cmd.local.devStore()))
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
	c := cmd.onTokens("create NAME", "Creates a token and prints it once", cobra.ExactArgs(1), func(f *access.File, args []string) error {
		lifetime := time.Duration(0)
		if expires != "" {
			var err error
			if lifetime, err = function.ParseDuration(expires); err != nil {
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
		cmd.printErr("the token is shown once; servers started with --token, and all started from now on, accept it")
		return nil
	})
	c.Flags().StringSliceVar(&scopes, "scope", nil, "scope: "+strings.Join(access.Scopes, ", ")+"; may be repeated")
	c.Flags().StringSliceVar(&limit.Workflows, "workflow", nil, "workflow that it is limited to; 'shop.*' is a prefix; may be repeated")
	c.Flags().StringToStringVar(&limit.Labels, "label", nil, "name=value: limited to sessions with this label, which sessions it starts get; may be repeated")
	c.Flags().StringVar(&expires, "expires", "", "lifetime, such as 720h; unlimited by default")
	c.Flags().Float64Var(&quota.Requests, "requests-per-second", 0, "requests per second; unlimited by default")
	c.Flags().IntVar(&quota.Sessions, "sessions-per-hour", 0, "sessions that it may start per hour; unlimited by default")
	c.Flags().StringVar(&bytes, "bytes-per-hour", "", "bytes that it may send per hour, such as 100MB; unlimited by default")
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
	return cmd.onTokens("revoke NAME", "Revokes a token immediately", cobra.ExactArgs(1), func(f *access.File, args []string) error {
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
