package neo4jserver

import (
	"bytes"
	"fmt"
	"strings"
)

// A setting is one line of neo4j.conf.
type setting struct{ key, value string }

// settings are what every server started here has, by whatever means.
//
//   - Pages of other origins may not call the HTTP API: with authentication
//     off, any web site that the user visits could.
//   - Transaction logs grow as needed: preallocated they take 512 MiB, which
//     a temporary home in memory does not have to spare.
//   - The databases are closed before Bolt is, which then waits another ten
//     seconds for clients that are silent for five, which tests do not need.
func settings(p ports, heapMB int) []setting {
	http := fmt.Sprintf("%s:%d", loopback, p.http)
	return []setting{
		{"server.bolt.advertised_address", fmt.Sprintf("%s:%d", loopback, p.bolt)},
		{"server.http.advertised_address", http},
		{"server.memory.heap.max_size", fmt.Sprintf("%dm", heapMB)},
		{"server.memory.pagecache.size", "256m"},
		{"db.tx_log.preallocate", "false"},
		{"dbms.security.http_access_control_allow_origin", "http://" + http},
		{"dbms.usage_report.enabled", "false"},
		{"client.allow_telemetry", "false"},
		{"internal.dbms.bolt.netty_server_shutdown_quiet_period", "0"},
	}
}

// confFile is neo4j.conf for a JVM on this machine.
func confFile(p ports, heapMB int) []byte {
	own := []setting{
		{"server.default_listen_address", loopback},
		{"server.bolt.listen_address", fmt.Sprintf(":%d", p.bolt)},
		{"server.http.listen_address", fmt.Sprintf(":%d", p.http)},
		{"server.https.enabled", "false"},
		{"dbms.security.auth_enabled", "false"},
	}
	var file bytes.Buffer
	for _, s := range append(own, settings(p, heapMB)...) {
		fmt.Fprintf(&file, "%s=%s\n", s.key, s.value)
	}
	return file.Bytes()
}

// containerName turns a key into the variable that the image reads it from.
var containerName = strings.NewReplacer("_", "__", ".", "_")

// containerEnviron gives the same settings, as KEY=value, for the image.
func containerEnviron(p ports, heapMB int) []string {
	environ := []string{"NEO4J_AUTH=none"}
	for _, s := range settings(p, heapMB) {
		environ = append(environ, "NEO4J_"+containerName.Replace(s.key)+"="+s.value)
	}
	return environ
}
