// agent: a model that uses tools before it answers.
//
// Any step can be a tool: the TOOL path gives it a name, tells the model what it is for and
// which arguments it takes. The arguments of a call are laid over the step's own input; the
// step runs as a visit of its own, with its own place in the history. "order" waits for a
// person's approval each time; a "no" is told to the model, which then looks for another way.
CREATE
  (root:STEP {id: 'root', function: 'utils.request.request',
    input: '{"prompt": "What can the warehouse do for you?", "options": ["How many lamps are there?", "Order 20 lamps"]}'}),

  (clerk:STEP {id: 'clerk', function: 'agent', name: 'The clerk',
    input: '{"system": "You look after a warehouse. Use your tools; never guess a number. Answer in one sentence.",
             "prompt": "@{SESSION_ID}.root.response", "include_history": true, "max_rounds": 6, "directly_set_reply": true}'}),

  (stock:STEP {id: 'stock', function: 'utils.code.code', name: 'Look at the shelves',
    input: '{"code": "result = {\\"lamps\\": 14, \\"chairs\\": 0}.get(variables.get(\\"item\\", \\"\\"), 0)"}'}),

  (order:STEP {id: 'order', function: 'template', name: 'Order from the supplier', approval: true,
    input: '{"template": "ordered"}'}),

  (root)-[:NEXT]->(clerk),
  (clerk)-[:NEXT {back: true}]->(root),
  (clerk)-[:TOOL {name: 'stock', description: 'How many pieces of an item there are.', priority: 1,
    parameters: '{"type": "object", "properties": {"item": {"type": "string", "description": "plural, lower case"}}, "required": ["item"]}'}]->(stock),
  (clerk)-[:TOOL {name: 'order', description: 'Orders pieces of an item. A person has to agree.', priority: 2,
    parameters: '{"type": "object", "properties": {"item": {"type": "string"}, "pieces": {"type": "integer", "minimum": 1}}, "required": ["item", "pieces"]}'}]->(order);
