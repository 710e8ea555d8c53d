// Package flowiseapi answers the HTTP calls of Flowise's clients: /api/v1/chatflows,
// /prediction/{id} with its stream, /executions, /webhook/{id}, /chatmessage/{id},
// /chatmessage/abort/{id}/{chat}, /chatflows-streaming/{id}, /public-chatbotConfig/{id},
// /mcp-server/{id}, /mcp/{id} and /ping.
//
// A chatflow is a workflow, a prediction a session, an execution the record made from its
// history. The sessions of one conversation are found by their ids; labels hold the chat. Package
// compat/flowise works out what nodes put out and in which order.
package flowiseapi
