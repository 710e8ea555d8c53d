// conversation: talks for as long as there is something to talk about.
//
//   root -> ask -> answer -> reply -> ask ...
//                       \-> farewell
//
// The question is the follow-up that the model thought of last time, or a greeting the
// first time. The model says itself whether the talk should go on: merits_followup.
// Run it:    stepgraph run conversation
// Try this:  edit the texts below in Neo4j Browser while a session waits for its answer.

CREATE
  (root:STEP {
    id: 'root',
    name: 'Start',
    description: 'Where every session begins; does nothing itself'
  }),

  (ask:STEP {
    id: 'ask',
    name: 'Ask',
    description: 'Waits for the person, for as long as it takes',
    function: 'utils.request.request',
    input: '{"prompt": "@{SESSION_ID}.answer.followup|Hello! What would you like to talk about?"}'
  }),

  (answer:STEP {
    id: 'answer',
    name: 'Answer',
    description: 'One call of the model, with the talk so far',
    function: 'utils.generate.generate',
    input: '{
      "system": "You are good company. Answer in two or three plain sentences. Then think of one question that keeps the talk going, unless the person wants to end it.",
      "include_history": true,
      "user": "@{SESSION_ID}.ask.response",
      "schema": {
        "type": "object",
        "properties": {
          "response": {"type": "string", "description": "What you say to the person"},
          "followup": {"type": "string", "description": "The question to ask next; empty when the talk is over"},
          "merits_followup": {"type": "boolean", "description": "false when the person says no, thanks or goodbye, or when all is said"}
        },
        "required": ["response", "followup", "merits_followup"],
        "additionalProperties": false
      }
    }'
  }),

  (reply:STEP {
    id: 'reply',
    name: 'Reply',
    description: 'Says what the model answered',
    function: 'utils.reply.reply',
    input: '{"message": "@{SESSION_ID}.answer.response"}'
  }),

  (farewell:STEP {
    id: 'farewell',
    name: 'Farewell',
    description: 'The last words; no path leads on, so the session is complete',
    function: 'utils.reply.reply',
    input: '{"message": "@{SESSION_ID}.answer.response Until next time!"}'
  }),

  (root)-[:NEXT]->(ask),
  (ask)-[:NEXT]->(answer),
  (answer)-[:NEXT {label: 'go on', condition: '[{"true": "@{SESSION_ID}.answer.merits_followup"}]', priority: 1}]->(reply),
  (answer)-[:NEXT {label: 'all said', condition: '[{"false": "@{SESSION_ID}.answer.merits_followup"}]', priority: 2}]->(farewell),
  (reply)-[:NEXT {label: 'again', back: true}]->(ask);
