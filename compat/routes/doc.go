// Package compat answers the HTTP calls of the systems whose workflows the engine runs,
// so that their clients work unchanged.
//
// LUNA (luna.go): POST /api/session, POST /api/session/{id}/message, GET
// /api/session/{id} and GET /api/health, with LUNA's field names and statuses. What its
// clients cannot have wanted is not copied:
//
//   - GET looks and changes nothing; LUNA ran the workflow on each.
//   - Every prompt and reply of a turn is in messages, once. LUNA showed one reply a
//     turn, left out a prompt asked twice, and added an apology when any step had failed.
//   - An unknown session is 404 with {error}, a body that is no JSON object 400 with
//     {error}; LUNA answered 500.
//   - A message to a session that asks nothing is 409. So that a client that only reads
//     messages goes on working, the answer has, beside error, all that a message is
//     answered with. LUNA answered 200, status "error", and stored the message. A
//     message to a session that is still at work waits for its question, up to 30 s.
//   - A message that is none of the answers a question takes is 422, in the same form;
//     the question stays open.
//
// Agent Zero (agentzero*.go): POST /api/flow_list, flow_load, flow_save, flow_delete,
// flow_execute, flow_status, flow_stop, flow_template_list and flow_group_remove, and GET
// /api/flow_list, in the spelling of the design and in that of the public implementation at
// once. Flows are workflows, runs are sessions; docs/formats/agentzero.md has the decisions.
//
// NebulaFlow (nebulaflow*.go): the messages of its webview as JSON text frames on the WebSocket
// /api/compat/nebulaflow. Runs are sessions, which outlive the connection and can be followed
// again; docs/formats/nebulaflow.md lists the messages and the decisions.
//
// Flowise (flowise*.go): /api/v1/chatflows, /prediction/{id} with its stream, /executions,
// /webhook/{id}, /chatmessage/{id}, /chatmessage/abort/{id}/{chat}, /chatflows-streaming/{id}, /public-chatbotConfig/{id},
// /mcp-server/{id}, /mcp/{id} and /ping. A chatflow is a workflow, a prediction a session, an execution what its history
// tells. Sessions of one conversation are found by their ids; labels tell the chat. What nodes
// had put out, and in which order, is worked out by package compat/flowise.
//
// LUNA's workflow_id is a workflow of that id; where there is none and the workflow default has
// a step of that id, it is the step to begin at, as in LUNA. messages are the newest 500.
package compat
