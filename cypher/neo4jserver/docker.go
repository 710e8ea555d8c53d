package neo4jserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

const (
	// engineWithin is how long a Docker engine may take to answer at all.
	engineWithin = 5 * time.Second
	pullWithin   = 15 * time.Minute
)

// dockerReady returns nil when an engine answers and has the image, pulling it
// if need be, else what is missing.
func dockerReady(ctx context.Context, log *slog.Logger) error {
	answer, err := docker(ctx, engineWithin, "info", "--format", "{{.ServerVersion}}")
	if err != nil {
		return fmt.Errorf("no Docker engine: %w", err)
	}
	if len(bytes.TrimSpace(answer)) == 0 {
		return errors.New("no Docker engine answers")
	}
	if _, err := docker(ctx, engineWithin, "image", "inspect", "--format", "{{.Id}}", Image); err == nil {
		return nil
	}
	log.Info("pulling neo4j, once", "image", Image)
	if _, err := docker(ctx, pullWithin, "pull", "--quiet", Image); err != nil {
		return fmt.Errorf("docker cannot pull %s: %w", Image, err)
	}
	return nil
}

// docker runs one docker command and returns what it prints.
func docker(ctx context.Context, within time.Duration, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("no answer within %s", within))
	defer cancel()
	command := exec.CommandContext(ctx, "docker", arguments...)
	command.WaitDelay = time.Second
	var complaint bytes.Buffer
	command.Stderr = &complaint
	printed, err := command.Output()
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, fmt.Errorf("docker %s: %w: %s", arguments[0], err, lastLines(complaint.Bytes()))
	}
	return printed, nil
}

func startDocker(ctx context.Context, options Options) (*Server, error) {
	if err := dockerReady(ctx, options.Log); err != nil {
		return nil, fmt.Errorf("neo4j: %w: start Docker, or set %s", err, envURI)
	}
	return startOnPorts(options, func(p ports) (*Server, error) {
		return runDocker(ctx, options, p)
	})
}

// runDocker runs a container that is removed when it ends; data and logs are
// in the home. The docker client stays attached and passes SIGTERM on, so a
// container lives, stops and dies with us just as a JVM does.
func runDocker(ctx context.Context, options Options, p ports) (*Server, error) {
	home, err := openHome(options.Dir)
	if err != nil {
		return nil, err
	}
	var name atomic.Pointer[string] // of the newest launch's container
	server := p.server(Docker)
	server.instance = &instance{
		home: home,
		command: func() *exec.Cmd {
			fresh := "stepgraph-neo4j-" + rand.Text()[:12]
			name.Store(&fresh)
			return exec.Command("docker", dockerArguments(fresh, p, home, options.HeapMB)...)
		},
		crash:  func(client *process) error { return killContainer(*name.Load(), client) },
		server: server,
		within: options.StartWithin,
		log:    options.Log,
	}
	if err := server.instance.begin(ctx); err != nil {
		return nil, err
	}
	return server, nil
}

func dockerArguments(name string, p ports, home *home, heapMB int) []string {
	arguments := []string{
		"run", "--rm", "--name", name,
		"--publish", fmt.Sprintf("%s:%d:7687", loopback, p.bolt),
		"--publish", fmt.Sprintf("%s:%d:7474", loopback, p.http),
		"--volume", home.path("data") + ":/data",
		"--volume", home.path("logs") + ":/logs",
	}
	// Else the files would belong to the image's own user, and a temporary
	// home could not be deleted. The image itself handles being run as root.
	if id := os.Getuid(); id > 0 {
		arguments = append(arguments, "--user", fmt.Sprintf("%d:%d", id, os.Getgid()))
	}
	for _, setting := range containerEnviron(p, heapMB) {
		arguments = append(arguments, "--env", setting)
	}
	return append(arguments, Image)
}

// killContainer kills the container, upon which its client ends by itself.
// Where there is no container yet, the client alone is killed.
func killContainer(name string, client *process) error {
	if client.ended() {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), stopWithin,
		fmt.Errorf("container %s is still there after %s", name, stopWithin))
	defer cancel()
	if _, err := docker(ctx, stopWithin, "kill", name); err != nil {
		return errors.Join(err, client.kill())
	}
	select {
	case <-client.done:
		return nil
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), client.kill())
	}
}
