// callcentre: agents whose tools are agents.
//
// The router is the only one that talks to the caller. It asks departments, each an agent
// with a task and tools of its own; their tools read integrations, which give one shape of
// result whatever stands behind them. Here the sources are mocks: change `type` to rest or
// graphql and give a `url`, and nothing else has to change.
CREATE
  (root:STEP {id: 'root', function: 'utils.reply.reply', name: 'The greeting',
    input: '{"message": "Hotel Aurora, good day. What can I do for you?"}'}),

  (caller:STEP {id: 'caller', function: 'utils.request.request', name: 'The caller',
    input: '{"options": ["Is a double room free tonight?", "What does the spa cost?"]}'}),

  (router:STEP {id: 'router', function: 'agent.callcentre', name: 'The voice',
    input: '{"system": "You answer the telephone of a hotel. Speak in short sentences. Ask your departments, never hand the caller over.",
             "prompt": "@{SESSION_ID}.caller.response", "include_history": true, "directly_set_reply": true,
             "guardrails": {"banned_phrases": ["refund"], "fallback": "My colleague will call you back about that."}}'}),

  (rooms:STEP {id: 'rooms', function: 'agent.callcentre', name: 'Rooms',
    input: '{"system": "You know the rooms. Look before you answer. Say what the voice should tell the caller.", "max_rounds": 5,
             "marks": true, "round_limit_error": "AGENT_TURN_LIMIT", "empty_error": "EMPTY_SESSION_RESPONSE"}'}),

  (spa:STEP {id: 'spa', function: 'agent.callcentre', name: 'Spa',
    input: '{"system": "You know the spa and its prices.", "max_rounds": 5, "marks": true}'}),

  (free:STEP {id: 'free', function: 'integration', name: 'Free rooms',
    input: '{"type": "mock", "mock_output": {"rooms": [{"number": 12, "kind": "double", "price": 140}, {"number": 14, "kind": "single", "price": 90}]}}'}),

  (prices:STEP {id: 'prices', function: 'integration', name: 'Prices of the spa',
    input: '{"type": "mock", "mock_output": {"entrance": 25, "massage": 60, "currency": "EUR"}}'}),

  (root)-[:NEXT]->(caller),
  (caller)-[:NEXT]->(router),
  (router)-[:NEXT {back: true}]->(caller),
  (router)-[:TOOL {name: 'consult_rooms', description: 'Anything about rooms and whether they are free.', priority: 1}]->(rooms),
  (router)-[:TOOL {name: 'consult_spa', description: 'Anything about the spa.', priority: 2}]->(spa),
  (rooms)-[:TOOL {name: 'free_rooms', description: 'The rooms that are free tonight, with prices.'}]->(free),
  (spa)-[:TOOL {name: 'spa_prices', description: 'What the spa costs.'}]->(prices);
