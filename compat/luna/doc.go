// Package luna implements the HTTP API of LUNA, so that its clients work unchanged: POST
// /api/session, POST /api/session/{id}/message, GET /api/session/{id} and GET /api/health,
// with LUNA's field names and statuses. These behaviours differ on purpose:
//
//   - GET only reads. LUNA ran the workflow on each GET.
//   - messages contains every prompt and reply of a turn exactly once. LUNA showed one reply
//     for each turn, omitted a repeated prompt, and added an apology when any step had
//     failed.
//   - An unknown session is 404 with {error}, and a body that is not a JSON object is 400
//     with {error}. LUNA answered 500.
//   - A message to a session without an open question is 409. The response has, besides
//     error, all fields of a normal response, so that a client that only reads messages
//     still works. LUNA answered 200 with status "error" and stored the message. A message
//     to a session that is still active waits up to 30 s for the question.
//   - A message that is not a valid answer is 422, with the same fields; the question stays
//     open.
//
// LUNA's workflow_id is the id of a workflow. If no such workflow exists and the workflow
// "default" has a step of that id, the session starts at that step, as in LUNA. messages
// contains the newest 500 messages.
package luna
