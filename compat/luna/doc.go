// Package luna answers the HTTP calls of LUNA, so that its clients work unchanged: POST
// /api/session, POST /api/session/{id}/message, GET /api/session/{id} and GET /api/health,
// with LUNA's field names and statuses. Some faults of LUNA are not copied:
//
//   - GET only reads; LUNA ran the workflow on each.
//   - Every prompt and reply of a turn is in messages, once. LUNA showed one reply a
//     turn, left out a prompt asked twice, and added an apology when any step had failed.
//   - An unknown session is 404 with {error}, a body that is not a JSON object 400 with
//     {error}; LUNA answered 500.
//   - A message to a session with no open question is 409. So that a client that only reads
//     messages still works, the answer has, beside error, all fields of a normal answer.
//     LUNA answered 200, status "error", and stored the message. A message to a session
//     that is still active waits for its question, up to 30 s.
//   - A message that is not a valid answer is 422, in the same form; the question stays open.
//
// LUNA's workflow_id is a workflow of that id; where there is none and the workflow default has
// a step of that id, it is the step to begin at, as in LUNA. messages are the newest 500.
package luna
