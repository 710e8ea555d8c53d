// Package flowiseapi implements the HTTP API of Flowise: /api/v1/chatflows, /prediction/{id}
// with its stream, /executions, /webhook/{id}, /chatmessage/{id},
// /chatmessage/abort/{id}/{chat}, /chatflows-streaming/{id}, /public-chatbotConfig/{id},
// /mcp-server/{id}, /mcp/{id} and /ping.
//
// A chatflow is a workflow, a prediction is a session, and an execution is computed from the
// history of a session. The sessions of one conversation are found by their ids; labels hold
// the chat id. Package compat/flowise computes the outputs of the nodes and their order.
package flowiseapi
