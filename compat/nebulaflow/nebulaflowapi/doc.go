// Package nebulaflowapi exchanges the messages of NebulaFlow's webview as JSON text frames on
// the WebSocket /api/compat/nebulaflow. Runs are sessions, which outlive the connection and can
// be followed again; docs/formats/nebulaflow.md lists the messages and the decisions.
package nebulaflowapi
