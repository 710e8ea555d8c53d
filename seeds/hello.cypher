// hello: the smallest workflow that waits for somebody. Two steps and a path.
// Run it: stepgraph run hello

CREATE
  (root:STEP {
    id: 'root',
    name: 'Ask for the name',
    function: 'utils.request.request',
    input: '{"prompt": "What is your name?"}'
  })
  -[:NEXT]->
  (reply:STEP {
    id: 'reply',
    name: 'Say hello',
    function: 'utils.reply.reply',
    input: '{"message": "Hello, @{SESSION_ID}.root.response!"}'
  });
