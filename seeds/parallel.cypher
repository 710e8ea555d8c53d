// parallel: three branches side by side, one of them longer, and a step that waits for
// all of them.
//
//   root -> pro -----------------> verdict
//       \-> contra --------------/
//       \-> question -> rephrase /
//
// verdict has join: 'all': it runs once, when nothing that could still reach it is under
// way. Without it, it would run as soon as the first branch has arrived.
// Run it: stepgraph run parallel

CREATE
  (root:STEP {
    id: 'root',
    name: 'Ask for the plan',
    function: 'utils.request.request',
    input: '{"prompt": "Which plan should be looked at from all sides?"}'
  }),

  (pro:STEP {
    id: 'pro',
    name: 'In favour',
    function: 'utils.generate.generate',
    input: '{
      "user": "Name the best reason for this plan: @{SESSION_ID}.root.response",
      "schema": {"type": "object", "properties": {"response": {"type": "string"}}, "required": ["response"]}
    }'
  }),

  (contra:STEP {
    id: 'contra',
    name: 'Against',
    function: 'utils.generate.generate',
    input: '{
      "user": "Name the worst risk of this plan: @{SESSION_ID}.root.response",
      "schema": {"type": "object", "properties": {"response": {"type": "string"}}, "required": ["response"]}
    }'
  }),

  (question:STEP {
    id: 'question',
    name: 'Open question',
    function: 'utils.generate.generate',
    input: '{
      "user": "Ask what nobody has asked about this plan: @{SESSION_ID}.root.response",
      "schema": {"type": "object", "properties": {"response": {"type": "string"}}, "required": ["response"]}
    }'
  }),

  (rephrase:STEP {
    id: 'rephrase',
    name: 'Put it kindly',
    function: 'template',
    input: '{"template": "One thing to find out first: @{SESSION_ID}.question.response"}'
  }),

  (verdict:STEP {
    id: 'verdict',
    name: 'Verdict',
    description: 'Runs once, after all branches',
    function: 'utils.reply.reply',
    input: '{"message": "For it: @{SESSION_ID}.pro.response\\nAgainst it: @{SESSION_ID}.contra.response\\n@{SESSION_ID}.rephrase.text"}',
    join: 'all'
  }),

  (root)-[:NEXT {priority: 1}]->(pro),
  (root)-[:NEXT {priority: 2}]->(contra),
  (root)-[:NEXT {priority: 3}]->(question),
  (pro)-[:NEXT]->(verdict),
  (contra)-[:NEXT]->(verdict),
  (question)-[:NEXT]->(rephrase),
  (rephrase)-[:NEXT]->(verdict);
