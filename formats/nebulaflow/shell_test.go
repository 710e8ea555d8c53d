package nebulaflow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

func withShell(r *engine.Registry) {
	if r.Find("shell") != nil {
		return
	}
	r.Add(engine.Spec{Name: "shell", Effects: true, Function: engine.FunctionFunc(func(ctx context.Context, text json.RawMessage) (json.RawMessage, error) {
		var in struct {
			Command, Script string
			Stdin           string
			Env             map[string]string
			Flags           struct {
				ExitOnError bool `json:"exit_on_error"`
			}
			Deny, FailOnExit bool
			Fail             bool `json:"fail_on_exit"`
			Strip            bool `json:"strip_code_fences"`
		}
		if err := json.Unmarshal(text, &in); err != nil {
			return nil, err
		}
		if in.Deny && regexp.MustCompile(`^(rm|su)\b`).MatchString(in.Command) {
			return nil, errors.New("Command cannot be executed")
		}
		script := in.Command + in.Script
		if in.Flags.ExitOnError {
			script = "set -e\n" + script
		}
		if in.Strip {
			in.Stdin = regexp.MustCompile("(?m)^```.*\n?").ReplaceAllString(in.Stdin, "")
			in.Stdin = strings.TrimSuffix(in.Stdin, "\n")
		}
		c := exec.CommandContext(ctx, "bash", "-c", script)
		c.Env = os.Environ()
		for k, v := range in.Env {
			c.Env = append(c.Env, k+"="+v)
		}
		c.Stdin = strings.NewReader(in.Stdin)
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		err := c.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
			return nil, err
		}
		out := stdout.String()
		if stderr.Len() > 0 {
			out += "\n" + stderr.String()
		}
		if in.Fail && err != nil {
			return nil, errors.New("failed: " + out)
		}
		return json.Marshal(map[string]any{"text": out, "exit_code": c.ProcessState.ExitCode()})
	})})
}
