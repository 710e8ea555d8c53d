// Package nebulaflowapi implements the messages of NebulaFlow's webview as JSON text frames on
// the WebSocket /api/compat/nebulaflow. A run is a session: it survives the connection, and
// any client can subscribe to it again. docs/formats/nebulaflow.md lists the messages and the
// decisions.
package nebulaflowapi
