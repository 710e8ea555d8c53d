// approval: nothing goes out before somebody has agreed to it.
//
//   root -> draft -> publish -> done
//                          \-> withdrawn
//
// The step publish has approval: true, so it waits with its input ready. A person
// approves it, approves it with a changed input, or rejects it with a reason. Because of
// on_error: 'continue' a rejection is an output with an error, and paths can tell.
// Run it: stepgraph run approval

CREATE
  (root:STEP {
    id: 'root',
    name: 'What is the news?',
    function: 'utils.request.request',
    input: '{"prompt": "What should be announced?"}'
  }),

  (draft:STEP {
    id: 'draft',
    name: 'Write a draft',
    description: 'Puts the announcement together; no model is needed for it',
    function: 'template',
    input: '{"template": ["Dear all,", "@{SESSION_ID}.root.response", "Yours, the team"], "separator": "\\n"}'
  }),

  (publish:STEP {
    id: 'publish',
    name: 'Publish',
    description: 'Waits for approval, then says the announcement to everybody',
    function: 'utils.reply.reply',
    input: '{"message": "@{SESSION_ID}.draft.text"}',
    approval: true,
    on_error: 'continue'
  }),

  (done:STEP {
    id: 'done',
    name: 'Done',
    function: 'utils.reply.reply',
    input: '{"message": "It is published."}'
  }),

  (withdrawn:STEP {
    id: 'withdrawn',
    name: 'Withdrawn',
    function: 'utils.reply.reply',
    input: '{"message": "It was not published: @{SESSION_ID}.publish.error.message"}'
  }),

  (root)-[:NEXT]->(draft),
  (draft)-[:NEXT]->(publish),
  (publish)-[:NEXT {label: 'approved', condition: '[{"false": "@{SESSION_ID}.publish.error"}]', priority: 1}]->(done),
  (publish)-[:NEXT {label: 'rejected', condition: '[{"true": "@{SESSION_ID}.publish.error"}]', priority: 2}]->(withdrawn);
