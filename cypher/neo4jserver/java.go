package neo4jserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

const (
	oldestJava = 17
	// portAttempts is how often a start with free ports is tried when other
	// processes take them first.
	portAttempts = 3
)

// errMissing marks errors that say that a tool is not installed here.
var errMissing = errors.New("not installed")

func isMissingTool(err error) bool { return errors.Is(err, errMissing) }

func startJava(ctx context.Context, options Options) (*Server, error) {
	java, err := findJava(ctx)
	if err != nil {
		return nil, err
	}
	artifacts, err := fetch(ctx, options.Log)
	if err != nil {
		return nil, err
	}
	return startOnPorts(options, func(p ports) (*Server, error) {
		return runJava(ctx, options, p, java, filepath.Join(artifacts, "lib"))
	})
}

// startOnPorts tries again with other ports when free ones were taken.
func startOnPorts(options Options, start func(ports) (*Server, error)) (*Server, error) {
	fixed := options.BoltPort != 0 || options.HTTPPort != 0
	for attempt := 1; ; attempt++ {
		chosen, err := choosePorts(options)
		if err != nil {
			return nil, err
		}
		server, err := start(chosen)
		if !isPortTaken(err) || fixed || attempt == portAttempts {
			return server, err
		}
		options.Log.Info("another process took the port, trying others", "uri", chosen.server("").URI)
	}
}

func runJava(ctx context.Context, options Options, p ports, java, lib string) (*Server, error) {
	home, err := openHome(options.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(home.path("conf", "neo4j.conf"), confFile(p, options.HeapMB), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("neo4j settings: %w", err), home.close())
	}
	server := p.server(Java)
	server.instance = &instance{
		home:    home,
		command: func() *exec.Cmd { return javaCommand(java, lib, home.dir, options.HeapMB) },
		crash:   (*process).kill,
		server:  server,
		within:  options.StartWithin,
		log:     options.Log,
	}
	if err := server.instance.begin(ctx); err != nil {
		return nil, err
	}
	return server, nil
}

func javaCommand(java, lib, home string, heapMB int) *exec.Cmd {
	command := exec.Command(java,
		fmt.Sprintf("-Xmx%dm", heapMB), "-XX:+UseG1GC",
		"--add-opens=java.base/java.nio=ALL-UNNAMED",
		"--add-opens=java.base/java.io=ALL-UNNAMED",
		"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
		"--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
		"-cp", filepath.Join(lib, "*"),
		"org.neo4j.server.CommunityEntryPoint",
		"--home-dir="+home, "--config-dir="+filepath.Join(home, "conf"), "--console-mode")
	command.Dir = home
	return command
}

// findJava gives the path of a Java that can run Neo4j: $JAVA_HOME's, else the
// first in $PATH.
func findJava(ctx context.Context) (string, error) {
	name := "java"
	if javaHome := os.Getenv("JAVA_HOME"); javaHome != "" {
		name = filepath.Join(javaHome, "bin", "java")
	}
	java, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("neo4j: java is %w (%w): install a Java %d runtime (Debian: default-jre-headless), start Docker, or set %s",
			errMissing, err, oldestJava, envURI)
	}
	printed, err := exec.CommandContext(ctx, java, "-version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("neo4j: %s -version: %w: %s", java, err, lastLines(printed))
	}
	if version := javaVersion(printed); version < oldestJava {
		return "", fmt.Errorf("neo4j: %s is Java %d and Java %d is %w: install a Java %d runtime and point $JAVA_HOME or $PATH at it, or set %s",
			java, version, oldestJava, errMissing, oldestJava, envURI)
	}
	return java, nil
}

var versionText = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// javaVersion reads the major version from what "java -version" prints, 0 when
// there is none. Java 8 calls itself 1.8.
func javaVersion(printed []byte) int {
	match := versionText.FindSubmatch(printed)
	if match == nil {
		return 0
	}
	version, _ := strconv.Atoi(string(match[1]))
	return version
}
